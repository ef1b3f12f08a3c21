import { drop, type FilterKind, numericSettings, pass } from './filter-kind.ts'

export const frequencyDrop: FilterKind = {
  type: 'frequency_drop',
  name: 'Frequency drop',
  description: 'Drops every Nth frame of each direction. -1 drops all of them, 0 none.',
  parameters: [{ name: 'Frequency', minimum: -1, maximum: 32767, type: 'int', unit: 'th packet', whole: true }],

  prepare: numericSettings,

  create([frequency = 0]) {
    let seen = 0
    return {
      judge() {
        if (frequency < 0) return drop
        seen += 1
        if (seen < frequency) return pass
        seen = 0
        return drop
      },
    }
  },
}
