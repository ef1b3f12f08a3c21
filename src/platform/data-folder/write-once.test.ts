import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, stat, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { writeOnce } from './write-once.ts'

let folder: string
let path: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'backhaul-write-once-'))
  path = join(folder, 'secret')
})
afterEach(() => rm(folder, { recursive: true }))

describe('writeOnce', () => {
  it('writes a file that only its owner can read, and leaves nothing else', async () => {
    assert.equal(await writeOnce(path, 'text'), 'text')

    assert.equal(await readFile(path, 'utf8'), 'text')
    assert.equal(((await stat(path)).mode & 0o777).toString(8), '600')
    assert.deepEqual(await readdir(folder), ['secret'])
  })

  it('gives everybody the text of whoever was first', async () => {
    const texts = Array.from({ length: 20 }, (_, i) => `text ${i}`)

    const given = await Promise.all(texts.map((text) => writeOnce(path, text)))

    assert.equal(new Set(given).size, 1)
    assert.ok(texts.includes(given[0] as string))
    assert.deepEqual(await readdir(folder), ['secret'])
  })

  it('does not write through a link that somebody left in its place', async () => {
    await symlink(join(folder, 'elsewhere'), path)

    await assert.rejects(writeOnce(path, 'text'), { code: 'ENOENT' })

    assert.deepEqual(await readdir(folder), ['secret'])
  })

  it('fails, and leaves nothing, when the folder is not there', async () => {
    await assert.rejects(writeOnce(join(folder, 'none', 'secret'), 'text'), { code: 'ENOENT' })

    assert.deepEqual(await readdir(folder), [])
  })
})
