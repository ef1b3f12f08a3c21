import type { NodeKind } from './node-kind.ts'
import { vpcs } from './vpcs.ts'

/** All kinds that there are: the only place that names them. */
export const nodeKinds: readonly NodeKind[] = [vpcs]
