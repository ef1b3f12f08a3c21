import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ThreadPool } from './thread-pool.ts'

/** A pool of numbered threads that do nothing. */
function openPool(limit: number) {
  let started = 0
  return new ThreadPool({
    limit,
    start: () => {
      started += 1
      return { number: started, load: 0, stop: async () => undefined }
    },
  })
}

describe('ThreadPool', () => {
  it('starts threads while all have work, then takes the least loaded', () => {
    const pool = openPool(2)

    const placed = [1, 2, 3, 4].map(() => pool.place(undefined))
    assert.deepEqual(
      placed.map(({ number }) => number),
      [1, 2, 1, 2],
    )
    for (const index of [0, 2]) pool.release({ thread: placed[index] ?? pool.place(undefined), group: undefined })
    assert.equal(pool.place(undefined).number, 1)
  })

  it('keeps a group together, and spreads groups', () => {
    const pool = openPool(2)

    assert.deepEqual(
      ['a', 'a', 'a', 'b', 'b', 'a', 'b', 'c'].map((group) => pool.place(group).number),
      [1, 1, 1, 2, 2, 1, 2, 2],
    )
  })

  it('places a group anew when its last member is gone', () => {
    const pool = openPool(2)
    const first = pool.place('a')
    pool.place('a')
    pool.place('b')
    pool.place(undefined)

    pool.release({ thread: first, group: 'a' })
    pool.place('c')
    pool.place('c')
    assert.equal(pool.place('a').number, 1)
    pool.release({ thread: first, group: 'a' })
    pool.release({ thread: first, group: 'a' })
    pool.place(undefined)
    pool.place(undefined)
    pool.place(undefined)

    assert.equal(pool.place('a').number, 2)
  })
})
