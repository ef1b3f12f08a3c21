import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import type { BlobStore } from '../../src/platform/blobs/blob-store.ts'
import { digestOf, megabyte, names, put, readText, text } from './blob-store-samples.ts'

/** How stored bytes are read and deleted; part of `blobStoreSuite`. */
export function describeReading(store: () => BlobStore): void {
  describe('open', () => {
    for (const [range, part] of [
      [{ start: 0 }, '0123456789'],
      [{ start: 0, end: 0 }, '0'],
      [{ start: 3, end: 5 }, '345'],
      [{ start: 9 }, '9'],
      [{ start: 8, end: 1000 }, '89'],
    ] as const) {
      it(`reads bytes ${JSON.stringify(range)} and tells the whole size`, async () => {
        const sha256 = await put(store(), '0123456789')

        await using opened = await store().open(sha256, range)

        assert.equal(opened.sizeBytes, 10)
        assert.equal(await readText(opened), part)
      })
    }

    for (const range of [{ start: 10 }, { start: -1 }, { start: 5, end: 4 }, { start: 0.5 }, { start: Number.NaN }]) {
      it(`refuses bytes ${JSON.stringify(range)}`, async () => {
        const sha256 = await put(store(), '0123456789')

        await assert.rejects(store().open(sha256, range), { code: 'range_not_satisfiable' })
      })
    }

    it('refuses every range of an empty blob', async () => {
      const sha256 = await put(store(), '')

      await assert.rejects(store().open(sha256, { start: 0 }), { code: 'range_not_satisfiable' })
    })

    it('can be disposed of before or while it is read', async () => {
      const sha256 = await put(store(), Buffer.alloc(5 * megabyte))
      const unread = await store().open(sha256)
      const begun = await store().open(sha256)
      await once(begun.body, 'readable')

      await unread[Symbol.asyncDispose]()
      await begun[Symbol.asyncDispose]()

      assert.ok(unread.body.destroyed && begun.body.destroyed)
    })
  })

  describe('delete', () => {
    it('forgets the bytes and tells whether there were any', async () => {
      const sha256 = await put(store(), text)

      assert.equal(await store().delete(sha256), true)
      assert.equal(await store().delete(sha256), false)
      assert.equal(await store().stat(sha256), undefined)
      assert.deepEqual(await names(store()), [])
      await assert.rejects(store().open(sha256), { code: 'not_found' })
    })

    it('does not disturb who reads the bytes', async () => {
      const content = Buffer.alloc(3 * megabyte, 'abc')
      const opened = await store().open(await put(store(), content))
      await once(opened.body, 'readable')

      await store().delete(digestOf('sha256', content))

      const rest = Buffer.concat(await opened.body.toArray())
      assert.equal(digestOf('sha256', rest), digestOf('sha256', content))
    })

    it('leaves room for the same bytes again', async () => {
      await store().delete(await put(store(), text))

      assert.equal(await readText(await store().open(await put(store(), text))), text)
    })
  })

  describe('names', () => {
    for (const name of ['', 'abc', '../../etc/passwd', `${'a'.repeat(63)}/`, 'A'.repeat(64), `${'a'.repeat(64)}\n`]) {
      it(`refuses ${JSON.stringify(name)} everywhere`, async () => {
        const refusal = { name: 'AppError', code: 'invalid' }

        await assert.rejects(store().open(name), refusal)
        await assert.rejects(store().stat(name), refusal)
        await assert.rejects(store().delete(name), refusal)
      })
    }
  })
}
