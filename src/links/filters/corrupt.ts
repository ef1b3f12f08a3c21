import { type FilterKind, numericSettings, pass } from './filter-kind.ts'

/** Destination, source and type (IEEE 802.3): left alone, so that a damaged frame still reaches its station. */
const headerBytes = 14

export const corrupt: FilterKind = {
  type: 'corrupt',
  name: 'Corrupt',
  description: 'Flips one random bit behind the Ethernet header of a frame, with the given chance.',
  parameters: [{ name: 'Chance', minimum: 0, maximum: 100, type: 'int', unit: '%' }],

  prepare: numericSettings,

  create([percent = 0], random) {
    return {
      judge(bytes, offset, length) {
        if (random() * 100 >= percent || length <= headerBytes) return pass
        const bit = Math.floor(random() * (length - headerBytes) * 8)
        const at = offset + headerBytes + (bit >> 3)
        bytes[at] = (bytes[at] ?? 0) ^ (1 << (bit & 7))
        return pass
      },
    }
  },
}
