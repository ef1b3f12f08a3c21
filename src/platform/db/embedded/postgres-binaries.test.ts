import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readlink, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { findPostgresBinaries, makeLibraryLinks } from './postgres-binaries.ts'

let root: string

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'postgres-binaries-'))
  await mkdir(join(root, 'native', 'lib'), { recursive: true })
  const links = [
    { source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so' },
    { source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' },
  ]
  await writeFile(join(root, 'native', 'pg-symlinks.json'), JSON.stringify(links))
})

afterEach(() => rm(root, { recursive: true, force: true }))

describe('the programs of the embedded PostgreSQL', () => {
  it('are not to be had for a platform that has none', async () => {
    await assert.rejects(findPostgresBinaries('plan9-mips'), {
      code: 'unavailable',
      message: /none for plan9-mips; set BACKHAUL_DATABASE_URL/,
    })
  })

  it('say how to get them when their package is missing', async () => {
    const absent = process.platform === 'darwin' ? 'linux-x64' : 'darwin-arm64'

    await assert.rejects(findPostgresBinaries(absent), {
      code: 'unavailable',
      message: /optional dependencies.*BACKHAUL_DATABASE_URL/,
    })
  })

  it('get their library links, also when many ask at once', async () => {
    await Promise.all(Array.from({ length: 8 }, () => makeLibraryLinks(root)))

    for (const name of ['libpq.so', 'libpq.so.5']) {
      assert.equal(await readlink(join(root, 'native', 'lib', name)), 'libpq.so.5.18')
    }
  })

  it('name the folder when a link cannot be made in it', async () => {
    await chmod(join(root, 'native', 'lib'), 0o555)
    await chmod(root, 0o755)

    const error = isRoot ? linkAsNobody() : await makeLibraryLinks(root).catch(String)

    assert.match(String(error), /library link .*native\/lib.* is missing and cannot be made/)
  })
})

const isRoot = process.geteuid?.() === 0

/** Root may write everywhere. The links are made in a program that gives its rights away once it is loaded. */
function linkAsNobody(): string {
  const program = `
    import { makeLibraryLinks } from ${JSON.stringify(import.meta.resolve('./postgres-binaries.ts'))}
    process.setuid(65534)
    await makeLibraryLinks(process.argv[1])`
  return spawnSync(process.execPath, ['--input-type=module', '-e', program, root], { encoding: 'utf8' }).stderr
}
