import { type FilterKind, numericSettings } from './filter-kind.ts'

export const delay: FilterKind = {
  type: 'delay',
  name: 'Delay',
  description:
    'Lets each frame arrive later by the latency, more or less by up to the jitter (uniform). ' +
    'Frames keep their order and the rate is not lowered.',
  parameters: [
    { name: 'Latency', minimum: 0, maximum: 32767, type: 'int', unit: 'ms' },
    { name: 'Jitter (-/+)', minimum: 0, maximum: 32767, type: 'int', unit: 'ms' },
  ],

  prepare: numericSettings,

  create([latencyMs = 0, jitterMs = 0], random) {
    if (jitterMs === 0) return { depart: (readyMs) => readyMs + latencyMs }
    return { depart: (readyMs) => readyMs + Math.max(0, latencyMs + jitterMs * (2 * random() - 1)) }
  },
}
