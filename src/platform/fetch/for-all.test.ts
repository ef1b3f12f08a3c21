import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AppError } from '../errors.ts'
import { forAll } from './for-all.ts'

const numbers = Array.from({ length: 100 }, (_, index) => index)
const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('forAll()', () => {
  it('asks for everything, with so many at once and no more', async () => {
    const asked = new Set<number>()
    let present = 0
    let most = 0

    await forAll(numbers, { concurrency: 7, signal: new AbortController().signal }, async (number) => {
      present += 1
      most = Math.max(most, present)
      await turn()
      present -= 1
      asked.add(number)
    })

    assert.equal(asked.size, 100)
    assert.equal(most, 7)
  })

  it('asks for the others when some fail, and names each failure once', async () => {
    let asked = 0
    const failing = forAll(numbers, { concurrency: 3, signal: new AbortController().signal }, async (number) => {
      asked += 1
      if (number % 10 === 0) throw new Error(number < 50 ? `no ${number}` : 'no more')
    })

    await assert.rejects(failing, { code: 'upstream', message: 'no 0; no 10; no 20; no 30; no 40; no more' })
    assert.equal(asked, 100)
  })

  it('gives up after twenty failures, and at once when the disk is full', async () => {
    for (const [code, most] of [
      ['upstream', 20],
      ['unavailable', 1],
    ] as const) {
      let asked = 0
      const failing = forAll(numbers, { concurrency: 1, signal: new AbortController().signal }, async (number) => {
        asked += 1
        throw new AppError(code, `no ${number}`)
      })
      await assert.rejects(failing, { code, message: /^no 0/ })
      assert.equal(asked, most)
    }
  })

  it('ends with the reason of the signal when nothing runs any more', async () => {
    const abort = new AbortController()
    let present = 0
    const ending = forAll(numbers, { concurrency: 5, signal: abort.signal }, async (number) => {
      present += 1
      if (number === 20) abort.abort(new Error('enough'))
      await turn()
      present -= 1
    })

    await assert.rejects(ending, { message: 'enough' })
    assert.equal(present, 0)
  })
})
