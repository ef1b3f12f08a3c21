import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, afterEach, before, describe, it } from 'node:test'
import { Client } from 'pg'
import { createLogger } from '../../log.ts'
import { type EmbeddedConnection, embeddedConnection } from './connection.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts'
import { chooseLauncher } from './launcher.ts'
import { findPostgresBinaries } from './postgres-binaries.ts'
import { waitUntil } from './program.ts'
import { serverArguments } from './server-settings.ts'

const logger = createLogger('silent')
const isRoot = process.geteuid?.() === 0
const isLinux = process.platform === 'linux'
const needsRoot = isLinux && isRoot ? false : 'needs root on Linux'
const needsLinux = isLinux ? false : 'needs Linux'
const nobody = 65534

/** A program that holds a server until it gets SIGTERM; it writes one line when the server runs or failed. */
const holder = `
import { startEmbeddedPostgres } from ${JSON.stringify(import.meta.resolve('./embedded-postgres.ts'))}
import { createLogger } from ${JSON.stringify(import.meta.resolve('../../log.ts'))}
try {
  const server = await startEmbeddedPostgres({ folder: process.argv[1], logger: createLogger('silent') })
  process.once('SIGTERM', () => void server[Symbol.asyncDispose]())
  console.log(JSON.stringify(server.connection))
} catch (error) {
  console.log(JSON.stringify({ error: String(error.stack) }))
}
`

let root: string
let template: string
const opened: AsyncDisposable[] = []
const children: ChildProcess[] = []

before(async () => {
  root = await mkdtemp(join(tmpdir(), 'embedded-postgres-'))
  template = join(root, 'template')
  await (await startEmbeddedPostgres({ folder: template, logger }))[Symbol.asyncDispose]()
})

afterEach(async () => {
  for (const child of children.splice(0)) await endChild(child, 'SIGTERM')
  for (const one of opened.splice(0)) await one[Symbol.asyncDispose]()
})

after(() => rm(root, { recursive: true, force: true }))

async function freshCopy(...place: string[]): Promise<string> {
  const folder = join(root, ...place, 'postgres')
  await mkdir(dirname(folder), { recursive: true, mode: 0o700 })
  execFileSync('cp', ['-a', template, folder])
  return folder
}

async function start(folder: string): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ folder, logger })
  opened.push(server)
  return server
}

async function query(connection: EmbeddedConnection, sql: string): Promise<unknown> {
  const client = new Client(connection)
  // A killed server is part of some tests.
  client.on('error', () => undefined)
  await client.connect()
  try {
    const { rows } = await client.query({ text: sql, rowMode: 'array' })
    return rows[0]?.[0]
  } finally {
    await client.end()
  }
}

async function postmasterPid(folder: string): Promise<number> {
  return Number.parseInt(await readFile(join(folder, 'postmaster.pid'), 'utf8'), 10)
}

function isAlive(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' })
  return stdout !== '' && !stdout.startsWith('Z')
}

async function holdUntilReady(prefix: readonly string[], folder: string): Promise<EmbeddedConnection> {
  const command = [...prefix, process.execPath, '--input-type=module', '-e', holder, folder]
  const child = spawn(command[0] ?? '', command.slice(1), { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  for await (const line of createInterface({ input: child.stdout })) {
    const answer = JSON.parse(line)
    assert.equal(answer.error, undefined)
    return answer
  }
  return assert.fail('the program ended without an answer')
}

async function endChild(child: ChildProcess | undefined, signal: NodeJS.Signals): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
  child.kill(signal)
  await once(child, 'exit')
}

describe('an embedded PostgreSQL', () => {
  it('answers through a private socket and on no TCP address', async () => {
    const server = await start(await freshCopy('plain'))

    const folder = await stat(server.connection.host)
    assert.equal(folder.mode & 0o777, 0o700)
    assert.equal(await query(server.connection, 'show listen_addresses'), '')
    assert.equal(await query(server.connection, 'show fsync'), 'on')
    assert.equal(await query(server.connection, 'show data_checksums'), 'on')
    assert.equal(await query(server.connection, `select lower('Ä') || min(x) from (values ('a'), ('Z')) t(x)`), 'äZ')
  })

  it('keeps its data over a restart, and leaves no socket folder', async () => {
    const folder = await freshCopy('restart')
    const first = await start(folder)
    await query(first.connection, 'create table kept as select 7 as value')

    await first[Symbol.asyncDispose]()
    await assert.rejects(stat(first.connection.host), { code: 'ENOENT' })
    const second = await start(folder)

    assert.equal(await query(second.connection, 'select value from kept'), 7)
  })

  it('is found by its data folder while it runs', async () => {
    const folder = await freshCopy('found')
    assert.equal(embeddedConnection(folder), undefined)

    const server = await start(folder)

    assert.deepEqual(embeddedConnection(folder), server.connection)
  })

  it('is in a session of its own', { skip: needsLinux }, async () => {
    const folder = await freshCopy('session')
    await start(folder)

    const pid = await postmasterPid(folder)

    const session = execFileSync('ps', ['-o', 'sess=', '-p', String(pid)], { encoding: 'utf8' })
    assert.equal(Number(session), pid)
  })

  it('runs from a data path far longer than a socket path may be', async () => {
    const server = await start(await freshCopy('long', 'x'.repeat(100), 'y'.repeat(100)))

    assert.equal(await query(server.connection, 'select 1'), 1)
  })

  it('runs beside another one', async () => {
    const folders = [await freshCopy('one'), await freshCopy('two')]

    const servers = await Promise.all(folders.map((folder) => start(folder)))

    const places = await Promise.all(servers.map(({ connection }) => query(connection, 'show data_directory')))
    assert.deepEqual(places, folders)
  })

  it('tells when it ends unasked, and starts again after that', async () => {
    const folder = await freshCopy('crash')
    const server = await start(folder)

    process.kill(await postmasterPid(folder), 'SIGKILL')

    assert.equal((await server.ended).signal, 'SIGKILL')
    await server[Symbol.asyncDispose]()
    assert.equal(await query((await start(folder)).connection, 'select 1'), 1)
  })

  it('starts although a computing backend outlived its postmaster', { skip: needsLinux }, async () => {
    const folder = await freshCopy('orphan')
    const server = await start(folder)
    const computing = query(server.connection, 'select count(*) from generate_series(1, 1e12)')
    const outcome = assert.rejects(computing)
    const active = `select pid from pg_stat_activity where query like '%1e12%' and pid <> pg_backend_pid()`
    let backend = 0
    await waitUntil(async () => {
      backend = Number((await query(server.connection, active)) ?? 0)
      return backend > 0
    }, 10_000)

    process.kill(await postmasterPid(folder), 'SIGKILL')
    await server.ended

    assert.ok(isAlive(backend))
    assert.equal(await query((await start(folder)).connection, 'select 1'), 1)
    assert.ok(!isAlive(backend))
    await outcome
  })

  it('stops a live server that a killed parent left behind', { skip: needsLinux }, async () => {
    const folder = await freshCopy('left')
    const { postgres } = await findPostgresBinaries()
    const launcher = await chooseLauncher({ postgres, reach: root })
    const sockets = join(root, 'left-sockets')
    await mkdir(sockets, { mode: 0o700 })
    const lasting = ['setpriv', '--pdeathsig', 'clear', postgres, ...serverArguments(folder, sockets)] as const
    const command = launcher.wrap(lasting, 'SIGINT')
    const parent = spawn('sh', ['-c', '"$@" >/dev/null 2>&1 & wait', 'sh', ...command], { stdio: 'ignore' })
    assert.ok(await waitUntil(() => embeddedConnection(folder) !== undefined, 10_000))
    const left = await postmasterPid(folder)
    await endChild(parent, 'SIGKILL')
    assert.ok(isAlive(left))

    const server = await start(folder)

    assert.ok(!isAlive(left))
    assert.equal(await query(server.connection, 'select 1'), 1)
  })

  it('says what PostgreSQL said when that does not start', async () => {
    const folder = await freshCopy('broken')
    await rm(join(folder, 'global'), { recursive: true })

    await assert.rejects(start(folder), { code: 'unavailable', message: /could not find the database system/ })
  })
})

describe('the process of an embedded PostgreSQL', () => {
  /** Makes user namespaces impossible, as some containers do: clone(2) refuses them below a changed root. */
  async function chrootPrefix(): Promise<string[]> {
    const place = join(root, 'changed-root')
    await mkdir(place)
    const script = 'mount --rbind / "$0" && exec chroot "$0" "$@"'
    return ['unshare', '--mount', '--propagation', 'private', 'sh', '-c', script, place]
  }

  async function ownedByNobody(name: string): Promise<string> {
    const folder = await freshCopy(name)
    execFileSync('chown', ['-R', `${nobody}:${nobody}`, dirname(folder)])
    await chmod(root, 0o711)
    return folder
  }

  function nobodyPrefix(): string[] {
    const drop = ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups']
    const [command = '', ...args] = [...drop, 'test', '-x', process.execPath]
    if (spawnSync(command, args).status === 0) return drop
    // A checkout below a closed folder. The second program is the first one that has the capability.
    const search = ['--inh-caps=+dac_read_search', '--ambient-caps=+dac_read_search', '--securebits=+no_setuid_fixup']
    return [...drop, ...search, 'env']
  }

  const ways = [
    ['in a user namespace', needsRoot, async () => ({ prefix: [], folder: await freshCopy('root'), uid: 0 })],
    [
      'as another user where root may make no user namespace',
      needsRoot,
      async () => ({ prefix: await chrootPrefix(), folder: await freshCopy('dropped'), uid: undefined }),
    ],
    [
      'as the ordinary user who started it',
      needsLinux,
      async () => {
        if (!isRoot) return { prefix: [], folder: await freshCopy('ordinary'), uid: process.geteuid?.() }
        return { prefix: nobodyPrefix(), folder: await ownedByNobody('ordinary'), uid: nobody }
      },
    ],
  ] as const

  for (const [way, skip, prepare] of ways) {
    it(`runs ${way}, ends with a killed parent, and starts again`, { skip }, async () => {
      const { prefix, folder, uid } = await prepare()

      const connection = await holdUntilReady(prefix, folder)
      assert.equal(await query(connection, 'select 1'), 1)
      const pid = await postmasterPid(folder)
      const owner = (await stat(`/proc/${pid}`)).uid
      if (uid === undefined) assert.notEqual(owner, 0)
      else assert.equal(owner, uid)
      await endChild(children.pop(), 'SIGKILL')

      assert.ok(await waitUntil(() => !isAlive(pid), 10_000))
      assert.equal(await query(await holdUntilReady(prefix, folder), 'select 1'), 1)
    })
  }

  it('works on data that was another way’s', { skip: needsRoot }, async () => {
    const server = await start(await ownedByNobody('given'))

    assert.equal(await query(server.connection, 'select 1'), 1)
  })
})
