import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, readFile, rm, stat, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { createFileRepository, fetchPublished, syncToEnd } from '../support/content.ts'
import { FileRepository } from '../support/file-repository.ts'
import { lacksNginx, type Nginx, startNginx } from '../support/nginx.ts'
import { createBareDatabase } from '../support/test-database.ts'
import { adminPassword, startTestServer, type TestServer } from '../support/test-server.ts'

const run = promisify(execFile)
const program = join(import.meta.dirname, '../../bin/backhaul.mjs')

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server[Symbol.asyncDispose]())

/** Runs the program as a person would; a failure gives its exit code and what it complained about. */
async function backhaul(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const all = {
    PATH: process.env['PATH'],
    BACKHAUL_URL: server.api,
    BACKHAUL_PASSWORD: adminPassword,
    BACKHAUL_LOG_LEVEL: 'warn',
    ...env,
  }
  try {
    const { stdout, stderr } = await run(process.execPath, [program, ...args], { env: all })
    return { code: 0, stdout, stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { code, stdout, stderr }
  }
}

describe('the command line', () => {
  it('explains itself', async () => {
    const help = await backhaul(['--help'])

    for (const command of ['serve', 'migrate', 'backup', 'restore', 'user', 'token'])
      assert.match(help.stdout, new RegExp(`^  ${command}`, 'm'))
    assert.match((await backhaul(['serve', '--help'])).stdout, /BACKHAUL_DATA/)
    assert.match((await backhaul(['--version'])).stdout, /^\d+\.\d+\.\d+/)
  })

  it('creates users who can log in, changes their passwords and deletes them', async () => {
    const added = await backhaul(['user', 'add', 'eve', '--right', 'labs.host'])
    const password = /password (\S+)/.exec(added.stdout)?.[1] as string

    assert.equal((await server.ask('/api/current_user', { as: `eve:${password}` })).body.login, 'eve')
    assert.match((await backhaul(['user', 'list'])).stdout, /eve +labs\.host/)
    const changed = /is now (\S+)/.exec((await backhaul(['user', 'password', 'eve'])).stdout)?.[1] as string
    assert.equal((await server.ask('/api/current_user', { as: `eve:${password}` })).status, 401)
    assert.equal((await server.ask('/api/current_user', { as: `eve:${changed}` })).status, 200)
    assert.equal((await backhaul(['user', 'remove', 'eve'])).code, 0)
    assert.equal((await server.ask('/api/current_user', { as: `eve:${changed}` })).status, 401)
  })

  it('creates tokens that stand for their user until they are revoked', async () => {
    const token = (await backhaul(['token', 'create', 'ci'])).stdout.trim()

    const listed = await backhaul(['token', 'list'], { BACKHAUL_TOKEN: token, BACKHAUL_PASSWORD: '' })
    const [, id = ''] = /^(\d+) +ci/m.exec(listed.stdout) ?? []
    assert.equal((await backhaul(['token', 'revoke', id])).code, 0)
    assert.equal((await backhaul(['token', 'list'], { BACKHAUL_TOKEN: token })).code, 1)
  })

  for (const [what, args, env, complaint] of [
    ['a login that is taken', ['user', 'add', 'admin'], {}, /the login is taken/],
    ['a right that is none', ['user', 'add', 'x', '--right', 'root'], {}, /no right "root"/],
    ['a user that is not there', ['user', 'remove', 'nobody'], {}, /Cannot find user "nobody"/],
    ['a wrong password', ['user', 'list'], { BACKHAUL_PASSWORD: 'wrong one' }, /Unable to authenticate/],
    ['a server that is not there', ['user', 'list', '--url', 'http://127.0.0.1:9'], {}, /Cannot reach Backhaul/],
    [
      'settings that are wrong',
      ['serve'],
      { BACKHAUL_API_LISTEN: 'x', BACKHAUL_ROLES: 'y' },
      /BACKHAUL_API_LISTEN[\s\S]*BACKHAUL_ROLES/,
    ],
    ['a command that is none', ['frobnicate'], {}, /unknown command/],
  ] as const) {
    it(`says what is wrong with ${what}, without a stack trace`, async () => {
      const failed = await backhaul(args, env)

      assert.equal(failed.code, 1)
      assert.match(failed.stderr, complaint)
      assert.doesNotMatch(failed.stderr, /\n {4}at /)
    })
  }
})

describe('a backup', { skip: lacksNginx }, () => {
  let folder: string
  let upstream: FileRepository
  let nginx: Nginx

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'backhaul-backup-'))
    upstream = new FileRepository(join(folder, 'upstream'))
    for (let index = 0; index < 20; index += 1) await upstream.add(`file-${index}`)
    await upstream.writeManifest()
    nginx = await startNginx(upstream.folder)
  })
  after(async () => {
    await nginx[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  })

  it('of a running server is restored whole into an empty one, and not at all when it is damaged', async () => {
    const repository = await createFileRepository(server, nginx.url, {
      upstream_username: 'me',
      upstream_password: 'hidden',
    })
    await syncToEnd(server, repository.id)
    const file = join(folder, 'backup.tar')
    const running = { BACKHAUL_DATA: join(server.folder, 'data'), BACKHAUL_DATABASE_URL: server.database.url }

    const written = await backhaul(['backup', file], running)

    assert.equal(written.code, 0, written.stderr)
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    assert.ok(!(await readFile(file)).includes('hidden'))
    const damaged = join(folder, 'damaged.tar')
    await copyFile(file, damaged)
    await truncate(damaged, (await stat(file)).size - 4096)
    await using database = await createBareDatabase()
    const empty = { BACKHAUL_DATA: join(folder, 'restored'), BACKHAUL_DATABASE_URL: database.url }
    assert.equal((await backhaul(['restore', damaged], empty)).code, 1)
    const restored = await backhaul(['restore', file], empty)
    assert.equal(restored.code, 0, restored.stderr)
    assert.match((await backhaul(['restore', file], empty)).stderr, /not empty/)
    await copyFile(join(server.folder, 'data', 'secret-key'), join(folder, 'restored', 'secret-key'))

    await using second = await startTestServer(empty)

    assert.equal((await second.ask(`/content/api/repositories/${repository.id}`)).body.content_counts.file, 20)
    for (const name of upstream.names) {
      const bytes = Buffer.from(await (await fetchPublished(second, repository, name)).arrayBuffer())
      assert.deepEqual(bytes, await upstream.read(name))
    }
    assert.equal((await syncToEnd(second, repository.id)).result, 'success')
  })
})
