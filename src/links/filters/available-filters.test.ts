import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { availableFilters } from './index.ts'

describe('availableFilters', () => {
  it('describes each filter as clients draw their dialogs from it', () => {
    const byType = Object.fromEntries(availableFilters().map(({ type, parameters }) => [type, parameters]))

    assert.deepEqual(byType['frequency_drop'], [
      { name: 'Frequency', minimum: -1, maximum: 32_767, type: 'int', unit: 'th packet' },
    ])
    assert.deepEqual(byType['packet_loss'], [{ name: 'Chance', minimum: 0, maximum: 100, type: 'int', unit: '%' }])
    assert.deepEqual(byType['delay'], [
      { name: 'Latency', minimum: 0, maximum: 32_767, type: 'int', unit: 'ms' },
      { name: 'Jitter (-/+)', minimum: 0, maximum: 32_767, type: 'int', unit: 'ms' },
    ])
    assert.deepEqual(byType['corrupt'], [{ name: 'Chance', minimum: 0, maximum: 100, type: 'int', unit: '%' }])
  })

  it('lists them in the order that people know', () => {
    const types = availableFilters().map(({ type }) => type)
    assert.deepEqual(types, ['frequency_drop', 'packet_loss', 'delay', 'corrupt', 'bpf'])
  })

  it('names and describes every filter', () => {
    for (const { type, name, description } of availableFilters()) {
      assert.match(type, /^[a-z_]+$/)
      assert.ok(name.length > 0 && description.endsWith('.'), type)
    }
  })
})
