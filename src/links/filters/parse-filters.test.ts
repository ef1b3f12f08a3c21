import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { filterKinds, parseFilters, prepareFilters, seededRandom } from './index.ts'

describe('parseFilters', () => {
  for (const [input, expected] of [
    [{}, {}],
    [{ delay: [20, 5] }, { delay: [20, 5] }],
    [{ delay: [20] }, { delay: [20] }],
    [{ packet_loss: [0.5] }, { packet_loss: [0.5] }],
    [{ packet_loss: ['10'] }, { packet_loss: [10] }],
    [{ packet_loss: [' .25\n'] }, { packet_loss: [0.25] }],
    [{ frequency_drop: [-1] }, { frequency_drop: [-1] }],
    [{ delay: [0, 5], corrupt: ['0'], packet_loss: [], frequency_drop: [''] }, {}],
    [{ corrupt: [' \n'] }, {}],
  ] as const) {
    it(`takes ${JSON.stringify(input)} as ${JSON.stringify(expected)}`, () => {
      assert.deepEqual(parseFilters(input), expected)
    })
  }

  it('gives filters in the order in which frames meet them', () => {
    const set = parseFilters({ delay: [1], corrupt: [1], packet_loss: [1], frequency_drop: [3] })

    assert.deepEqual(Object.keys(set), ['frequency_drop', 'packet_loss', 'corrupt', 'delay'])
  })

  for (const input of [null, undefined, [], 'delay', 5, true]) {
    it(`refuses ${JSON.stringify(input)} as a set`, () => {
      assert.throws(() => parseFilters(input), { code: 'invalid' })
    })
  }

  for (const [type, values] of [
    ['packet_loss', 10],
    ['packet_loss', '10'],
    ['packet_loss', null],
    ['packet_loss', { a: 1 }],
    ['packet_loss', [null]],
    ['packet_loss', [[1]]],
    ['packet_loss', [true]],
    ['packet_loss', [101]],
    ['packet_loss', [-1]],
    ['packet_loss', ['ten']],
    ['packet_loss', ['0x10']],
    ['packet_loss', ['1e1']],
    ['packet_loss', [1, 2]],
    ['corrupt', [200]],
    ['delay', [-4, 5]],
    ['delay', [0, -5]],
    ['delay', [1, 32_768]],
    ['delay', [1, 2, 3]],
    ['frequency_drop', [-2]],
    ['frequency_drop', [2.5]],
    ['latency', [10]],
    ['__proto__', [1]],
    ['toString', [1]],
  ] as const) {
    it(`refuses ${type} ${JSON.stringify(values)} and names it`, () => {
      const input = JSON.parse(`{"${type}": ${JSON.stringify(values)}}`)

      assert.throws(() => parseFilters(input), {
        code: 'invalid',
        message: new RegExp(`^Cannot set filters: "${type}" `),
      })
    })
  }

  it('names every bad filter at once', () => {
    assert.throws(() => parseFilters({ packet_loss: [101], latency: [1], delay: [1] }), {
      fields: {
        filters: [
          '"packet_loss" must have a number from 0 to 100 as "Chance", not 101',
          `"latency" is not a filter: there are ${filterKinds.map(({ type }) => type).join(', ')}`,
        ],
      },
    })
  })
})

describe('prepareFilters', () => {
  it('gives plain data in order', () => {
    assert.deepEqual(prepareFilters({ delay: [20], packet_loss: [1.5] }), [
      { type: 'packet_loss', settings: [1.5] },
      { type: 'delay', settings: [20] },
    ])
  })
})

describe('seededRandom', () => {
  it('repeats itself for a seed, and differs for another seed or stream', () => {
    const take = (seed: number, stream?: number) => Array.from({ length: 8 }, seededRandom(seed, stream))

    assert.deepEqual(take(7), take(7))
    assert.notDeepEqual(take(7), take(8))
    assert.notDeepEqual(take(7), take(7 + 2 ** 32))
    assert.notDeepEqual(take(7), take(7, 1))
  })

  it('is spread evenly over [0, 1)', () => {
    const random = seededRandom(1)
    const tenths = new Array<number>(10).fill(0)

    for (let count = 0; count < 100_000; count += 1) {
      const tenth = Math.floor(random() * 10)
      tenths[tenth] = (tenths[tenth] ?? 0) + 1
    }

    assert.ok(
      tenths.every((count) => count > 9600 && count < 10_400),
      tenths.join(),
    )
  })
})
