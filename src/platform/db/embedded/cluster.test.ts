import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createLogger } from '../../log.ts'
import { startEmbeddedPostgres } from './embedded-postgres.ts'
import { waitUntil } from './program.ts'

const logger = createLogger('silent')

let root: string

before(async () => {
  root = await mkdtemp(join(tmpdir(), 'embedded-cluster-'))
})

after(() => rm(root, { recursive: true, force: true }))

async function unfinishedFolders(folder: string): Promise<string[]> {
  const names = await readdir(dirname(folder)).catch(() => [])
  return names.filter((name) => name.includes('.initdb-'))
}

/** In the midst of `initdb`: it writes `PG_VERSION` early and `pg_hba.conf` before its longest part. */
async function untilHalfMade(folder: string): Promise<void> {
  const isHalfMade = async () => {
    const [unfinished = ''] = await unfinishedFolders(folder)
    return access(join(dirname(folder), unfinished, 'pg_hba.conf')).then(
      () => true,
      () => false,
    )
  }
  assert.ok(await waitUntil(isHalfMade, 20_000))
}

describe('the first start', () => {
  it('is begun anew after a kill in its middle', async () => {
    const folder = join(root, 'killed', 'postgres')
    const program = `
      import { startEmbeddedPostgres } from ${JSON.stringify(import.meta.resolve('./embedded-postgres.ts'))}
      import { createLogger } from ${JSON.stringify(import.meta.resolve('../../log.ts'))}
      await startEmbeddedPostgres({ folder: process.argv[1], logger: createLogger('silent') })`
    const first = spawn(process.execPath, ['--input-type=module', '-e', program, folder], { stdio: 'inherit' })
    await untilHalfMade(folder)
    first.kill('SIGKILL')
    await once(first, 'exit')
    assert.deepEqual(await readdir(folder), [])

    await using _server = await startEmbeddedPostgres({ folder, logger })

    assert.ok((await readdir(folder)).includes('PG_VERSION'))
    assert.deepEqual(await unfinishedFolders(folder), [])
  })

  it('can be cancelled in its middle and then leaves nothing', async () => {
    const folder = join(root, 'cancelled', 'postgres')
    const cancel = new AbortController()

    const outcome = assert.rejects(startEmbeddedPostgres({ folder, logger, signal: cancel.signal }), {
      code: 'cancelled',
    })
    await untilHalfMade(folder)
    cancel.abort()
    await outcome

    assert.deepEqual(await unfinishedFolders(folder), [])
    assert.deepEqual(await readdir(folder), [])
  })

  it('does not begin when it was cancelled before', async () => {
    const folder = join(root, 'never', 'postgres')

    await assert.rejects(startEmbeddedPostgres({ folder, logger, signal: AbortSignal.abort() }), { code: 'cancelled' })

    assert.deepEqual(await readdir(dirname(folder)), [])
  })
})

describe('a data folder', () => {
  it('of another major version is refused, and the message says what to do', async () => {
    const folder = join(root, 'old', 'postgres')
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'PG_VERSION'), '15\n')

    await assert.rejects(startEmbeddedPostgres({ folder, logger }), {
      code: 'conflict',
      message: /PostgreSQL 15.*runs 18.*backup.*restore/,
    })
  })

  it('with something else in it is refused and left as it is', async () => {
    const folder = join(root, 'other', 'postgres')
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'letter'), 'dear')

    await assert.rejects(startEmbeddedPostgres({ folder, logger }), { code: 'conflict', message: /is not empty/ })

    assert.deepEqual(await readdir(folder), ['letter'])
  })
})
