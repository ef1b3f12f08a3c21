import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { BlobStore } from '../../../../platform/blobs/blob-store.ts'
import { openFileBlobStore } from '../../../../platform/blobs/file-blob-store.ts'
import { FragmentSpool, type ListedFragment } from './fragment-spool.ts'

let folder: string
let store: BlobStore
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'backhaul-spool-'))
  store = await openFileBlobStore(folder)
})
after(() => rm(folder, { recursive: true }))

const fill = (batches: readonly (readonly ListedFragment[])[], isWanted = (_pkgid: string) => true) => {
  const fragments = ReadableStream.from(batches.map((packages) => ({ packages })))
  return FragmentSpool.fill({ list: 'filelists.xml', fragments, isWanted }, (content) => store.stage(content))
}

describe('FragmentSpool', () => {
  it('gives what a list says of packages in whatever order they are asked for', async () => {
    const many = Array.from({ length: 1000 }, (_, number) => ({ pkgid: `id-${number}`, inner: `<é>${number}</é>` }))
    await using spool = await fill([many.slice(0, 400), [], many.slice(400)])

    assert.equal(spool.size, 1000)
    assert.deepEqual(await spool.read(['id-999', 'id-0', 'id-500']), ['<é>999</é>', '<é>0</é>', '<é>500</é>'])
    const ids = many.map(({ pkgid }) => pkgid)
    assert.deepEqual(await spool.read(ids.toReversed()), many.map(({ inner }) => inner).toReversed())
    assert.deepEqual(await spool.read([]), [])
  })

  it('keeps what is said first of a package that is named twice, and what is empty', async () => {
    const twice = [
      { pkgid: 'a', inner: 'first' },
      { pkgid: 'a', inner: 'second' },
      { pkgid: 'b', inner: '' },
    ]
    await using spool = await fill([twice])
    assert.deepEqual(await spool.read(['b', 'a']), ['', 'first'])
  })

  it('keeps only what is wanted', async () => {
    const listed = ['a', 'b'].map((pkgid) => ({ pkgid, inner: pkgid }))
    await using spool = await fill([listed], (pkgid) => pkgid === 'b')
    assert.deepEqual([spool.size, await spool.read(['b'])], [1, ['b']])
  })

  it('names the package that a list does not know', async () => {
    await using spool = await fill([[{ pkgid: 'a', inner: '' }]])
    await assert.rejects(spool.read(['a', 'other']), {
      code: 'upstream',
      message: /filelists\.xml says nothing of .*other/,
    })
  })

  it('leaves nothing behind', async () => {
    await (await fill([[{ pkgid: 'a', inner: 'x' }]]))[Symbol.asyncDispose]()
    const left = await readdir(folder, { recursive: true, withFileTypes: true })
    assert.deepEqual(
      left.filter((entry) => entry.isFile()).map(({ name }) => name),
      [],
    )
  })
})
