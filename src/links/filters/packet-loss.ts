import { drop, type FilterKind, numericSettings, pass } from './filter-kind.ts'

export const packetLoss: FilterKind = {
  type: 'packet_loss',
  name: 'Packet loss',
  description: 'Drops each frame with the same chance, whatever came before it.',
  parameters: [{ name: 'Chance', minimum: 0, maximum: 100, type: 'int', unit: '%' }],

  prepare: numericSettings,

  create([percent = 0], random) {
    return { judge: () => (random() * 100 < percent ? drop : pass) }
  },
}
