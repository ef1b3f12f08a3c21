import assert from 'node:assert/strict'
import { chmod, lstat, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { makeSocketFolder, removeSocketFolder, socketFolderPath } from './socket-folder.ts'

const owner = { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 }

let root: string
let path: string

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'socket-folder-'))
  path = join(root, 'sockets')
})

afterEach(() => rm(root, { recursive: true, force: true }))

describe('the socket folder', () => {
  it('is another one for each data folder and each owner', () => {
    const paths = [
      socketFolderPath('/a', owner),
      socketFolderPath('/b', owner),
      socketFolderPath('/a', { ...owner, uid: owner.uid + 1 }),
    ]

    assert.equal(new Set(paths).size, 3)
    assert.equal(paths[0], socketFolderPath('/a', owner))
  })

  it('lies in /tmp when the socket’s path would be too long elsewhere', () => {
    const short = `/${'t'.repeat(66)}`

    assert.equal(dirname(socketFolderPath('/a', owner, short)), short)
    assert.equal(dirname(socketFolderPath('/a', owner, `${short}t`)), '/tmp')
  })

  it('is made for its owner alone, and goes again', async () => {
    await makeSocketFolder(path, owner)

    assert.equal((await lstat(path)).mode & 0o777, 0o700)
    await removeSocketFolder(path)
    assert.deepEqual(await readdir(root), [])
  })

  it('is used again with nothing of a dead server left in it', async () => {
    await makeSocketFolder(path, owner)
    await writeFile(join(path, '.s.PGSQL.5432.lock'), '1\n')

    await makeSocketFolder(path, owner)

    assert.deepEqual(await readdir(path), [])
  })

  for (const [state, make] of [
    ['others may enter', () => mkdir(path).then(() => chmod(path, 0o755))],
    ['a link stands in its place', () => mkdir(join(root, 'real'), { mode: 0o700 }).then(() => symlink('real', path))],
    ['a file stands in its place', () => writeFile(path, '', { mode: 0o700 })],
  ] as const) {
    it(`is refused when ${state}`, async () => {
      await make()

      await assert.rejects(makeSocketFolder(path, owner), { code: 'unavailable', message: /remove it/ })
    })
  }

  it('is refused when it is another user’s', async () => {
    await mkdir(path, { mode: 0o700 })

    await assert.rejects(makeSocketFolder(path, { ...owner, uid: owner.uid + 1 }), { code: 'unavailable' })
  })
})
