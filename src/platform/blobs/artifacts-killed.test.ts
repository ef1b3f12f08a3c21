import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, it } from 'node:test'
import { names } from '../../../test/conformance/blob-store-samples.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/support/test-database.ts'
import type { Database } from '../db/database.ts'
import { pinBytes } from './artifact-locks.ts'
import { Artifacts } from './artifacts.ts'
import { openFileBlobStore } from './file-blob-store.ts'

const rounds = 3
const looks = 10
const laterMs = 2 * 60 * 60_000

/** Keeps the same few hundred blobs, or removes all there are, over and over; writes a line after each time. */
const worker = `
import { Artifacts } from ${JSON.stringify(import.meta.resolve('./artifacts.ts'))}
import { openFileBlobStore } from ${JSON.stringify(import.meta.resolve('./file-blob-store.ts'))}
import { Database } from ${JSON.stringify(import.meta.resolve('../db/database.ts'))}
import { createLogger } from ${JSON.stringify(import.meta.resolve('../log.ts'))}
const [work, root, connectionString] = process.argv.slice(1)
const store = await openFileBlobStore(root)
const database = new Database({ connection: { connectionString }, logger: createLogger('silent') })
const artifacts = new Artifacts({ database, store })
const stage = (content) => store.stage((async function* () { yield Buffer.from(content) })())
for (let turn = 0; ; turn += 1) {
  if (work === 'keep') {
    const contents = Array.from({ length: 200 }, (_, number) => 'blob ' + ((turn * 150 + number) % 500))
    await artifacts.keep(await Promise.all(contents.map(stage)))
  } else await artifacts.removeUnreferenced({ now: Date.now() + ${laterMs} })
  console.log(turn)
}
`

describe('Artifacts of several processes that are killed', () => {
  let made: TestDatabase
  let database: Database
  let root: string

  before(async () => {
    made = await createTestDatabase()
    database = made.database
    root = await mkdtemp(join(tmpdir(), 'killed-'))
  })

  after(async () => {
    await made[Symbol.asyncDispose]()
    await rm(root, { recursive: true })
  })

  it('never leave a row without its bytes while they run or after, and a sweep removes the bytes without a row', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const children = ['keep', 'keep', 'remove'].map((work) => start(work, root, made.url))
      await Promise.all(children.map((child) => untilTurns(child, 1)))
      for (let look = 0; look < looks; look += 1) await assertWholeWhilePinned(database, root)
      await Promise.all(children.map(kill))
      await untilAlone(database)

      const rows = await readRows(database)
      await assertBytes(root, rows)
      const store = await openFileBlobStore(root)
      await new Artifacts({ database, store }).sweep({ now: Date.now() + laterMs })

      assert.deepEqual(await names(store), rows)
      if (process.platform === 'linux') assert.deepEqual(await readdir(join(root, 'tmp')), [])
    }
  })
})

function start(work: string, root: string, url: string): ChildProcess {
  const args = ['--input-type=module', '-e', worker, work, root, url]
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
}

async function untilTurns(child: ChildProcess, turns: number): Promise<void> {
  assert.ok(child.stdout)
  let seen = 0
  for await (const _line of createInterface(child.stdout)) {
    seen += 1
    if (seen === turns) return
  }
  assert.fail('the process ended by itself')
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

/** A killed client's last statement may still run; it must have ended before anything can be said. */
async function untilAlone(database: Database): Promise<void> {
  const others = `
    select 1 from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`
  for (;;) {
    const { rowCount } = await database.pool.query(others)
    if (rowCount === 0) return
  }
}

async function readRows(database: Database): Promise<string[]> {
  const { rows } = await database.pool.query('select sha256 from artifacts order by sha256')
  return rows.map(({ sha256 }) => sha256)
}

/** While nobody may remove bytes, rows can only become more, so each one found must have its bytes. */
async function assertWholeWhilePinned(database: Database, root: string): Promise<void> {
  const client = await database.connect()
  try {
    await pinBytes(client)
    const store = await openFileBlobStore(root)
    const digests = await readRows(database)
    const missing: string[] = []
    for (const sha256 of digests) if ((await store.stat(sha256)) === undefined) missing.push(sha256)
    assert.deepEqual(missing, [])
  } finally {
    await client.end()
  }
}

async function assertBytes(root: string, digests: readonly string[]): Promise<void> {
  const store = await openFileBlobStore(root)
  for (const sha256 of digests) {
    const { body } = await store.open(sha256)
    assert.equal(
      createHash('sha256')
        .update(Buffer.concat(await body.toArray()))
        .digest('hex'),
      sha256,
    )
  }
}
