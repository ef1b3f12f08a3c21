import { cloud } from './cloud.ts'
import { ethernetHub } from './ethernet-hub.ts'
import { ethernetSwitch } from './ethernet-switch.ts'
import { host } from './host.ts'
import type { NodeKind } from './node-kind.ts'
import { vpcs } from './vpcs.ts'

/** All kinds that there are: the only place that names them. */
export const nodeKinds: readonly NodeKind[] = [vpcs, host, ethernetSwitch, ethernetHub, cloud]
