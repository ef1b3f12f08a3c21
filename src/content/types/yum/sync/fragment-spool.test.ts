import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { BlobStore, StagedBlob } from '../../../../platform/blobs/blob-store.ts'
import { openFileBlobStore } from '../../../../platform/blobs/file-blob-store.ts'
import type { DiscoverContext } from '../../../content-type.ts'
import { FragmentSpool } from './fragment-spool.ts'
import type { StoredMetadata } from './open-metadata.ts'

interface Listed {
  readonly pkgid: string
  readonly inner: string
}

let folder: string
let store: BlobStore
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'backhaul-spool-'))
  store = await openFileBlobStore(folder)
})
after(() => rm(folder, { recursive: true }))

const idOf = (number: number) => number.toString(16).padStart(64, '0')
const [a = '', b = ''] = [idOf(10), idOf(11)]

const many = (count: number): Listed[] =>
  Array.from({ length: count }, (_, number) => ({ pkgid: idOf(number), inner: `<é>${number}</é>` }))

async function storeText(text: string): Promise<StagedBlob> {
  const staged = await store.stage(ReadableStream.from([Buffer.from(text)]))
  await staged.commit()
  return staged
}

async function fill(
  packages: readonly Listed[],
  { known = [], end = '</filelists>', signal = new AbortController().signal } = {} as {
    readonly known?: readonly string[]
    readonly end?: string
    readonly signal?: AbortSignal
  },
): Promise<FragmentSpool> {
  const elements = packages.map(({ pkgid, inner }) => `<package pkgid="${pkgid}" name="x" arch="y">${inner}</package>`)
  const { sha256, sizeBytes } = await storeText(`<filelists xmlns="x">${elements.join('\n')}${end}`)
  const context = { open: (digest: string) => store.open(digest), scratch: () => store.scratch(), signal }
  const record = { openChecksum: undefined, openSizeBytes: undefined } as StoredMetadata['record']
  const file = { sha256, sizeBytes, record }
  return FragmentSpool.fill(context as unknown as DiscoverContext, { list: 'filelists', file, known })
}

describe('FragmentSpool', () => {
  for (const [where, count] of [
    ['at once', 1000],
    ['in a thread', 10_000],
  ] as const) {
    it(`gives what a list that is read ${where} says of packages, in whatever order they are asked for`, async () => {
      const listed = many(count)
      await using spool = await fill(listed)

      assert.equal(spool.size, count)
      assert.deepEqual(await spool.read([idOf(999), idOf(0), idOf(500)]), ['<é>999</é>', '<é>0</é>', '<é>500</é>'])
      const ids = listed.map(({ pkgid }) => pkgid)
      assert.deepEqual(await spool.read(ids.toReversed()), listed.map(({ inner }) => inner).toReversed())
      assert.deepEqual(await spool.read([]), [])
    })

    it(`passes over packages that are known, in a list that is read ${where}`, async () => {
      const known = many(count - 2).map(({ pkgid }) => pkgid)
      await using spool = await fill(many(count), { known })
      assert.equal(spool.size, 2)
      assert.deepEqual(await spool.read([idOf(count - 1)]), [`<é>${count - 1}</é>`])
    })

    it(`says what is wrong with a list that is read ${where}`, async () => {
      await assert.rejects(fill(many(count), { end: '</other>' }), { code: 'upstream', message: /filelists\.xml/ })
    })
  }

  it('ends its thread when nobody wants it any more', async () => {
    const reason = new Error('enough')
    await assert.rejects(fill(many(10_000), { signal: AbortSignal.abort(reason) }), reason)
    const later = new AbortController()
    const filling = fill(many(100_000), { signal: later.signal })
    setImmediate(() => later.abort(reason))
    await assert.rejects(filling, reason)
  })

  it('keeps what is said first of a package that is named twice, and what is empty', async () => {
    const twice = [
      { pkgid: a, inner: 'first' },
      { pkgid: a, inner: 'second' },
      { pkgid: b, inner: '' },
    ]
    await using spool = await fill(twice)
    assert.deepEqual(await spool.read([b, a]), ['', 'first'])
  })

  it('names the package that a list does not know', async () => {
    await using spool = await fill([{ pkgid: a, inner: '' }])
    await assert.rejects(spool.read([a, 'other']), {
      code: 'upstream',
      message: /filelists\.xml says nothing of .*other/,
    })
  })

  it('leaves nothing behind', async () => {
    await (await fill([{ pkgid: a, inner: 'x' }]))[Symbol.asyncDispose]()
    await assert.rejects(fill([{ pkgid: a, inner: 'x' }], { end: '' }))
    const left = await readdir(join(folder, 'tmp'))
    assert.deepEqual(left, [])
  })
})
