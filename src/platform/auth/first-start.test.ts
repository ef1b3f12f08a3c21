import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { promisify } from 'node:util'
import type { Kysely } from 'kysely'
import { createTestDatabase, type TestDatabase } from '../../../test/support/test-database.ts'
import { Authenticator } from './authenticator.ts'
import { ensureAdministrator, openSecretBox } from './first-start.ts'
import type { AuthTables } from './tables.ts'

const program = join(import.meta.dirname, '../../../test/support/first-start-process.ts')
const secretKey = 'a key of sixteen or more'

let database: TestDatabase
let db: Kysely<AuthTables>
let folder: string
let passwordFile: string
let keyFile: string
beforeEach(async () => {
  database = await createTestDatabase()
  db = database.database.tables<AuthTables>()
  folder = await mkdtemp(join(tmpdir(), 'backhaul-first-start-'))
  passwordFile = join(folder, 'admin-password')
  keyFile = join(folder, 'secret-key')
})
afterEach(async () => {
  await database[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

async function logIn(password: string) {
  const authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`
  return new Authenticator(db, Date.now).authenticate(authorization, '127.0.0.1')
}

async function modeOf(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o777).toString(8)
}

async function countUsers(): Promise<number> {
  return (await db.selectFrom('users').select('id').execute()).length
}

describe('the first start', () => {
  it('makes an administrator whose random password only its owner can read', async () => {
    await openSecretBox({ db, secretKey, keyFile })

    const made = await ensureAdministrator({ db, adminPassword: undefined, passwordFile })

    const password = (await readFile(passwordFile, 'utf8')).trim()
    assert.equal(made, passwordFile)
    assert.equal(await modeOf(passwordFile), '600')
    assert.match(password, /^[\w-]{24}$/)
    assert.deepEqual((await logIn(password)).rights, new Set(['admin']))
  })

  it('takes the configured password, and writes no file', async () => {
    await openSecretBox({ db, secretKey, keyFile })

    const made = await ensureAdministrator({ db, adminPassword: 'configured password', passwordFile })

    assert.equal(made, undefined)
    assert.deepEqual(await readdir(folder), [])
    assert.equal((await logIn('configured password')).login, 'admin')
  })

  it('does not believe a password file that was there before', async () => {
    await writeFile(passwordFile, 'left by somebody else\n', { mode: 0o644 })
    await openSecretBox({ db, secretKey, keyFile })

    await ensureAdministrator({ db, adminPassword: undefined, passwordFile })

    assert.equal(await modeOf(passwordFile), '600')
    assert.equal((await logIn((await readFile(passwordFile, 'utf8')).trim())).login, 'admin')
  })

  it('comes once: later starts make no administrator, whatever they are told', async () => {
    await openSecretBox({ db, secretKey, keyFile })
    await ensureAdministrator({ db, adminPassword: 'configured password', passwordFile })
    await db.updateTable('users').set({ login: 'renamed' }).execute()

    const made = [
      await ensureAdministrator({ db, adminPassword: 'another password', passwordFile }),
      await ensureAdministrator({ db, adminPassword: undefined, passwordFile }),
    ]

    assert.deepEqual(made, [undefined, undefined])
    assert.equal(await countUsers(), 1)
    assert.deepEqual(await readdir(folder), [])
  })

  it('of several processes at once makes one administrator, one password and one key', async () => {
    const run = async () =>
      JSON.parse((await promisify(execFile)(process.execPath, [program, database.url, folder])).stdout)

    const results = await Promise.all(Array.from({ length: 3 }, run))

    assert.deepEqual(
      results.map(({ made }) => made).filter((made) => made !== null),
      [passwordFile],
    )
    assert.equal(await countUsers(), 1)
    assert.equal((await logIn((await readFile(passwordFile, 'utf8')).trim())).login, 'admin')
    const box = await openSecretBox({ db, secretKey: undefined, keyFile })
    for (const { sealed } of results) assert.equal(box.open(sealed, 'test'), 'word')
    assert.deepEqual((await readdir(folder)).sort(), ['admin-password', 'secret-key'])
  })
})

describe('the secret key', () => {
  it('is made once, and only its owner can read it', async () => {
    const sealed = (await openSecretBox({ db, secretKey: undefined, keyFile })).seal('word', 'test')

    const again = await openSecretBox({ db, secretKey: undefined, keyFile })

    assert.equal(await modeOf(keyFile), '600')
    assert.equal(again.open(sealed, 'test'), 'word')
  })

  it('that is configured leaves no file', async () => {
    await openSecretBox({ db, secretKey, keyFile })

    assert.deepEqual(await readdir(folder), [])
  })

  it('is refused when the database was sealed with another one, and says where it came from', async () => {
    await openSecretBox({ db, secretKey, keyFile })

    await assert.rejects(openSecretBox({ db, secretKey: `${secretKey}!`, keyFile }), {
      code: 'conflict',
      message: /sealed with another key than that of BACKHAUL_SECRET_KEY$/,
    })
    await assert.rejects(openSecretBox({ db, secretKey: undefined, keyFile }), {
      code: 'conflict',
      message: /sealed with another key than that of .*\/secret-key$/,
    })
    await openSecretBox({ db, secretKey, keyFile })
  })

  it('may have been written by hand, with a newline at its end or without', async () => {
    await writeFile(keyFile, secretKey)
    const sealed = (await openSecretBox({ db, secretKey: undefined, keyFile })).seal('word', 'test')
    await writeFile(keyFile, `${secretKey}\n`)

    assert.equal((await openSecretBox({ db, secretKey: undefined, keyFile })).open(sealed, 'test'), 'word')
  })
})
