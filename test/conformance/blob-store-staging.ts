import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { BlobStore } from '../../src/platform/blobs/blob-store.ts'
import { chunks, digestOf, names, readText, text } from './blob-store-samples.ts'

/** How bytes get into a store; part of `blobStoreSuite`. */
export function describeStaging(store: () => BlobStore, leftovers: () => Promise<readonly string[]>): void {
  describe('stage', () => {
    it('hashes the bytes and shows nothing of them', async () => {
      await using staged = await store().stage(chunks(text))

      assert.equal(staged.sha256, digestOf('sha256', text))
      assert.equal(staged.sizeBytes, text.length)
      assert.equal(await store().stat(staged.sha256), undefined)
      assert.deepEqual(await names(store()), [])
      await assert.rejects(store().open(staged.sha256), { code: 'not_found' })
    })

    it('gives the other digests that were asked for or expected', async () => {
      const expected = { md5: digestOf('md5', text), sha1: digestOf('sha1', text) }
      await using staged = await store().stage(chunks(text), { digests: ['sha512', 'sha224'], expected })

      assert.deepEqual(
        { ...staged.digests },
        Object.fromEntries(
          ['sha256', 'md5', 'sha1', 'sha224', 'sha512'].map((algorithm) => [algorithm, digestOf(algorithm, text)]),
        ),
      )
    })

    it('lets its bytes be read before they are visible', async () => {
      await using staged = await store().stage(chunks(text))

      assert.equal(await readText(await staged.open()), text)
      assert.equal(await readText(await staged.open({ start: 4, end: 8 })), 'small')
    })

    it('takes an expected digest in capital letters', async () => {
      await using staged = await store().stage(chunks(text), {
        expected: { sha256: digestOf('sha256', text).toUpperCase() },
      })

      assert.equal(staged.sizeBytes, text.length)
    })

    for (const [what, options, message] of [
      ['another sha256', { expected: { sha256: '0'.repeat(64) } }, /its sha256 is [0-9a-f]{64} instead of 0{64}/],
      ['another md5', { expected: { md5: '0'.repeat(32) } }, /its md5 is/],
      ['fewer bytes than expected', { expected: { sizeBytes: 15 } }, /it has 14 bytes instead of 15/],
      ['more bytes than expected', { expected: { sizeBytes: 13 } }, /it has more than the expected 13 bytes/],
      ['more bytes than allowed', { maxBytes: 13 }, /it has more than the 13 bytes that are allowed/],
    ] as const) {
      it(`refuses ${what} and leaves nothing behind`, async () => {
        await assert.rejects(store().stage(chunks(text), { ...options, subject: 'a.rpm' }), {
          name: 'AppError',
          code: 'invalid',
          message,
        })

        assert.deepEqual(await names(store()), [])
        assert.deepEqual(await leftovers(), [])
      })
    }

    it('names the subject and blames whom it was told to', async () => {
      const options = { subject: 'https://mirror/a.rpm', blame: 'upstream', maxBytes: 1 } as const

      await assert.rejects(store().stage(chunks(text), options), {
        code: 'upstream',
        message: 'Cannot keep https://mirror/a.rpm: it has more than the 1 bytes that are allowed',
      })
    })

    it('stops an endless source as soon as it sends too much', async () => {
      let sent = 0
      const endless = async function* () {
        for (;;) {
          sent += 1000
          yield Buffer.alloc(1000)
        }
      }

      await assert.rejects(store().stage(endless(), { maxBytes: 10_000 }), { code: 'invalid' })

      assert.equal(sent, 11_000)
    })

    it('passes on the failure of the source and leaves nothing behind', async () => {
      const failing = async function* () {
        yield Buffer.from('some')
        throw new Error('the cable is cut')
      }

      await assert.rejects(store().stage(failing()), { message: 'the cable is cut' })

      assert.deepEqual(await leftovers(), [])
    })

    it('ends with the reason of the signal although the source hangs, and leaves nothing behind', async () => {
      const aborter = new AbortController()
      const reason = new Error('cancelled by the user')
      const hanging = async function* () {
        yield Buffer.from('some')
        queueMicrotask(() => aborter.abort(reason))
        await new Promise(() => {})
      }

      await assert.rejects(store().stage(hanging(), { signal: aborter.signal }), reason)

      assert.deepEqual(await leftovers(), [])
    })

    it('asks an aborted signal before the source', async () => {
      const source = async function* () {
        assert.fail('the source was asked')
        yield Buffer.alloc(0)
      }

      await assert.rejects(store().stage(source(), { signal: AbortSignal.abort() }), { name: 'AbortError' })
    })
  })
}
