import { bpf } from './bpf.ts'
import { corrupt } from './corrupt.ts'
import { delay } from './delay.ts'
import type { FilterKind } from './filter-kind.ts'
import { frequencyDrop } from './frequency-drop.ts'
import { packetLoss } from './packet-loss.ts'

/** Every kind of filter, in the order in which frames meet them. */
export const filterKinds: readonly FilterKind[] = [bpf, frequencyDrop, packetLoss, corrupt, delay]

/** The kind of that type, when there is one. */
export function findFilterKind(type: string): FilterKind | undefined {
  return filterKinds.find((kind) => kind.type === type)
}
