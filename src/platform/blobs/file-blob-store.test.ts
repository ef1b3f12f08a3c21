import assert from 'node:assert/strict'
import { execFile, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { names } from '../../../test/conformance/blob-store-samples.ts'
import { blobStoreSuite } from '../../../test/conformance/blob-store-suite.ts'
import { openFileBlobStore } from './file-blob-store.ts'
import { thisOwner } from './owner.ts'
import { BlobPaths } from './paths.ts'

blobStoreSuite('FileBlobStore', async () => {
  const root = await mkdtemp(join(tmpdir(), 'blobs-'))
  return {
    store: await openFileBlobStore(root),
    leftovers: () => readdir(join(root, 'tmp')),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true }),
  }
})

const moduleUrl = import.meta.resolve('./file-blob-store.ts')
const canMount =
  spawnSync('unshare', ['--map-root-user', '--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0

/** Stages more than fits on a medium of 1 MiB, then what fits. */
const fillDisk = `
import { readdir } from 'node:fs/promises'
import { openFileBlobStore } from ${JSON.stringify(moduleUrl)}
const store = await openFileBlobStore('/mnt/blobs')
const stage = async (bytes) => {
  const source = async function* () { for (let sent = 0; sent < bytes; sent += 65536) yield Buffer.alloc(65536, sent) }
  return (await store.stage(source(), { subject: 'big.iso' }).catch((error) => error)).message
}
const failure = await stage(4194304)
console.log(JSON.stringify({ failure, left: await readdir('/mnt/blobs/tmp'), again: await stage(65536) ?? 'staged' }))
`

/** Stages bytes, says so, and waits to be killed. */
const stageAndWait = `
import { openFileBlobStore } from ${JSON.stringify(moduleUrl)}
const store = await openFileBlobStore(process.argv[1])
await store.stage((async function* () { yield Buffer.from('lost') })())
console.log('staged')
setInterval(() => {}, 1000)
`

describe('openFileBlobStore', () => {
  let root: string

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'blobs-'))
  })

  afterEach(() => rm(root, { recursive: true }))

  it('keeps folders and files from other users', async () => {
    const folder = join(root, 'new', 'blobs')
    const store = await openFileBlobStore(folder)
    const staged = await store.stage(oneChunk('secret'))
    await staged.commit()

    const path = new BlobPaths(folder).blob(staged.sha256)

    assert.equal((await stat(folder)).mode & 0o777, 0o700)
    assert.equal((await stat(join(folder, staged.sha256.slice(0, 2)))).mode & 0o777, 0o700)
    assert.equal((await stat(path)).mode & 0o777, 0o600)
  })

  it('removes what a killed process left and leaves alone what a living one writes', async () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', stageAndWait, root])
    await once(child.stdout, 'data')
    const own = await (await openFileBlobStore(root)).stage(oneChunk('mine'))
    assert.equal((await readdir(join(root, 'tmp'))).length, 2)
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended

    await openFileBlobStore(root)

    assert.equal((await readdir(join(root, 'tmp'))).length, process.platform === 'linux' ? 1 : 2)
    await own.discard()
  })

  it('removes what nobody wrote to for a day, and nothing younger of a foreign machine', async () => {
    const paths = new BlobPaths(root)
    await openFileBlobStore(root)
    const foreign = { place: 'f00', pid: 2 ** 30 }
    const [old, young] = [paths.temporary(foreign), paths.temporary(foreign)]
    const strange = join(paths.temporaryFolder, 'strange')
    const dayAgo = new Date(Date.now() - 25 * 60 * 60_000)
    for (const path of [old, young, strange]) await writeFile(path, 'bytes')
    for (const path of [old, strange]) await utimes(path, dayAgo, dayAgo)

    await openFileBlobStore(root)

    assert.deepEqual(
      (await readdir(paths.temporaryFolder)).map((name) => join(paths.temporaryFolder, name)),
      [young],
    )
  })

  it('does not take a file of this process for an orphan', async () => {
    const staged = await (await openFileBlobStore(root)).stage(oneChunk('mine'))

    await openFileBlobStore(root)
    await staged.commit()

    assert.equal(thisOwner().pid, process.pid)
  })

  it('ignores files that are no blobs', async () => {
    const store = await openFileBlobStore(root)
    await writeFile(join(root, '00', 'README'), '')
    await writeFile(join(root, '00', 'f'.repeat(64)), 'in the wrong folder')

    assert.deepEqual(await names(store), [])
  })

  it('puts right bytes in the place of damaged ones', async () => {
    const store = await openFileBlobStore(root)
    const sha256 = createHash('sha256').update('right').digest('hex')
    await writeFile(new BlobPaths(root).blob(sha256), 'wrong')

    await (await store.stage(oneChunk('right'))).commit()

    const { body } = await store.open(sha256)
    assert.equal(Buffer.concat(await body.toArray()).toString(), 'right')
  })

  it('refuses to commit what another store staged', async () => {
    const staged = await (await openFileBlobStore(join(root, 'one'))).stage(oneChunk('bytes'))
    const other = await openFileBlobStore(join(root, 'two'))

    await assert.rejects(other.commitAll([staged]), TypeError)
  })

  it('says that the disk is full and frees what it had taken', {
    skip: canMount ? false : 'needs the right to mount a small file system',
  }, async () => {
    const run = `mount -t tmpfs -o size=1m none /mnt && exec "$0" --input-type=module -e "$1"`
    const { stdout } = await promisify(execFile)('unshare', [
      ...['--map-root-user', '--mount', 'sh', '-c', run, process.execPath, fillDisk],
    ])

    assert.deepEqual(JSON.parse(stdout), {
      failure: 'Cannot keep big.iso: the disk is full',
      left: [],
      again: 'staged',
    })
  })
})

async function* oneChunk(text: string): AsyncGenerator<Uint8Array, void, undefined> {
  yield Buffer.from(text)
}
