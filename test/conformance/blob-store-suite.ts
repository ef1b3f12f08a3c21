import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { afterEach, beforeEach, describe, it } from 'node:test'
import type { BlobStore, StagedBlob } from '../../src/platform/blobs/blob-store.ts'
import { liveBufferBytes } from '../support/live-memory.ts'
import { describeReading } from './blob-store-reading.ts'
import { chunks, digestOf, megabyte, names, put, readText, text } from './blob-store-samples.ts'
import { describeStaging } from './blob-store-staging.ts'

/** A new, empty store for one test. */
export interface BlobStoreUnderTest extends AsyncDisposable {
  readonly store: BlobStore
  /** Names of what is kept although it is no stored blob: bytes on their way in that nobody ended. */
  leftovers(): Promise<readonly string[]>
}

/** What every blob store must do, whatever its medium. A store's own test calls this and adds what is its own. */
export function blobStoreSuite(name: string, create: () => Promise<BlobStoreUnderTest>): void {
  describe(name, () => {
    let made: BlobStoreUnderTest
    let store: BlobStore

    beforeEach(async () => {
      made = await create()
      store = made.store
    })

    afterEach(async () => {
      const leftovers = await made.leftovers()
      await made[Symbol.asyncDispose]()
      assert.deepEqual(leftovers, [], 'the test left something behind')
    })

    describeStaging(
      () => store,
      () => made.leftovers(),
    )
    describeReading(() => store)

    describe('commit', () => {
      it('makes the bytes visible', async () => {
        const sha256 = await put(store, text)

        assert.equal(await readText(await store.open(sha256)), text)
        assert.equal((await store.stat(sha256))?.sizeBytes, text.length)
        assert.deepEqual(await names(store), [sha256])
      })

      it('keeps zero bytes too', async () => {
        const sha256 = await put(store, '')

        await using opened = await store.open(sha256)
        assert.equal(opened.sizeBytes, 0)
        assert.equal(await readText(opened), '')
      })

      it('is harmless when repeated, and disposal after it keeps the bytes', async () => {
        const staged = await store.stage(chunks(text))

        await staged.commit()
        await staged.commit()
        await staged.discard()
        await staged[Symbol.asyncDispose]()

        assert.deepEqual(await names(store), [staged.sha256])
        assert.equal(await readText(await staged.open()), text)
      })

      it('stamps the bytes with the present time', async () => {
        const before = Date.now()

        const modifiedAt = (await store.stat(await put(store, text)))?.modifiedAt.getTime() ?? 0

        const clockDifferenceMs = 5000
        assert.ok(modifiedAt > before - clockDifferenceMs && modifiedAt < Date.now() + clockDifferenceMs)
      })

      it('keeps one blob of many that come in with the same bytes at once', async () => {
        const staged = await Promise.all(Array.from({ length: 20 }, () => store.stage(chunks(text))))

        await Promise.all(staged.map((blob) => blob.commit()))

        assert.deepEqual(await names(store), [digestOf('sha256', text)])
        assert.equal(await readText(await store.open(digestOf('sha256', text))), text)
      })
    })

    describe('commitAll', () => {
      it('makes all blobs visible, equal ones once', async () => {
        const contents = Array.from({ length: 300 }, (_, number) => `blob number ${number % 290}`)
        const staged = await Promise.all(contents.map((content) => store.stage(chunks(content))))

        await store.commitAll(staged)

        const expected = [...new Set(contents.map((content) => digestOf('sha256', content)))].sort()
        assert.deepEqual(await names(store), expected)
        const [first] = staged as [StagedBlob]
        assert.equal(await readText(await store.open(first.sha256)), 'blob number 0')
      })

      it('takes blobs that are committed already, and none', async () => {
        const staged = await store.stage(chunks(text))
        await staged.commit()

        await store.commitAll([staged])
        await store.commitAll([])

        assert.deepEqual(await names(store), [staged.sha256])
      })
    })

    describe('discard', () => {
      it('drops the bytes at once, also by disposal', async () => {
        const discarded = await store.stage(chunks('first'))
        await discarded.discard()
        await discarded.discard()
        {
          await using _disposed = await store.stage(chunks('second'))
        }

        assert.deepEqual(await made.leftovers(), [])
        assert.deepEqual(await names(store), [])
      })
    })

    it('lists everything in the order of names, with sizes', async () => {
      const contents = Array.from({ length: 50 }, (_, number) => 'x'.repeat(number))
      await store.commitAll(await Promise.all(contents.map((content) => store.stage(chunks(content)))))

      const listed: object[] = []
      for await (const { sha256, sizeBytes } of store.list()) listed.push({ sha256, sizeBytes })

      const expected = contents.map((content) => ({ sha256: digestOf('sha256', content), sizeBytes: content.length }))
      assert.deepEqual(
        listed,
        expected.sort((a, b) => (a.sha256 < b.sha256 ? -1 : 1)),
      )
    })

    it('moves 100 MB in and out with flat memory', async () => {
      const piece = Buffer.alloc(64 * 1024, 'piece')
      const pieces = 1600
      let highestBytes = 0
      const before = liveBufferBytes()
      let chunksSeen = 0
      const watch = () => {
        chunksSeen += 1
        if (chunksSeen % 200 === 0) highestBytes = Math.max(highestBytes, liveBufferBytes() - before)
      }
      const source = async function* () {
        for (let count = 0; count < pieces; count += 1) {
          watch()
          yield piece
        }
      }

      const staged = await store.stage(source())
      await staged.commit()
      const hash = createHash('sha256')
      const { body } = await store.open(staged.sha256)
      for await (const chunk of body) {
        watch()
        hash.update(chunk)
      }

      assert.equal(staged.sizeBytes, pieces * piece.length)
      assert.equal(hash.digest('hex'), staged.sha256)
      assert.ok(highestBytes < 10 * megabyte, `${highestBytes} bytes were held in memory`)
    })
  })
}
