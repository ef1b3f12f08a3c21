import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { checkCaptureName, defaultCaptureName } from './captures/capture-name.ts'
import { KeyedQueue } from './keyed-queue.ts'
import { uniqueName } from './nodes/unique-name.ts'

describe('uniqueName()', () => {
  for (const [wanted, taken, expected] of [
    ['PC1', [], 'PC1'],
    ['PC1', ['PC1'], 'PC2'],
    ['PC', ['PC'], 'PC1'],
    ['PC{0}', ['PC1', 'PC2'], 'PC3'],
    ['PC7', ['PC7', 'PC1'], 'PC2'],
    ['R{0}-core', ['R1-core'], 'R2-core'],
  ] as const) {
    it(`gives ${expected} for ${wanted} beside ${taken.join() || 'nothing'}`, () => {
      assert.equal(uniqueName(wanted, new Set<string>(taken)), expected)
    })
  }
})

describe('defaultCaptureName()', () => {
  it('is made of the two ends, without odd characters', () => {
    const ends = [
      { nodeName: 'PC 1/ü', adapter: 0, port: 0 },
      { nodeName: 'SW', adapter: 1, port: 12 },
    ] as const

    assert.equal(defaultCaptureName(ends), 'PC1_0-0_to_SW_1-12.pcap')
  })
})

describe('checkCaptureName()', () => {
  it('takes plain names as they are', () => {
    for (const name of ['x', 'my capture.pcap', 'größe', '...x']) assert.equal(checkCaptureName(name), name)
  })

  for (const name of ['../x', '/x', 'a/b', 'a\\b', '.', '..', 'a\nb', 'a\0b', 'ü'.repeat(126)]) {
    it(`refuses ${JSON.stringify(name.slice(0, 20))}`, () => {
      assert.throws(() => checkCaptureName(name), { code: 'invalid' })
    })
  }
})

describe('KeyedQueue', () => {
  it('runs works of one key in order, also after one has failed, and others beside them', async () => {
    const queue = new KeyedQueue()
    const order: string[] = []
    const gate = Promise.withResolvers<void>()

    const first = queue.run('a', async () => {
      await gate.promise
      order.push('a1')
      throw new Error('no')
    })
    const second = queue.run('a', async () => void order.push('a2'))
    await queue.run('b', async () => void order.push('b1'))
    gate.resolve()

    await assert.rejects(first, /no/)
    await second
    assert.deepEqual(order, ['b1', 'a1', 'a2'])
  })
})
