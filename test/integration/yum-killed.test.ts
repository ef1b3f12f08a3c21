import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fetchPublished, syncToEnd, taskEnd } from '../support/content.ts'
import type { Json } from '../support/json.ts'
import { hrefOf, type MadePackage, MadeUpstream, madeFiles, madePackage, publishedPathOf } from '../support/made-yum.ts'
import { leastMain, leastSignature, rpmBytes } from '../support/rpm-bytes.ts'
import { openSharedGround, type ServerProcess, type SharedGround } from '../support/server-process.ts'
import { form, multipart, repositories, served } from '../support/uploads.ts'
import { ViewLab } from '../support/view-lab.ts'
import { waitUntil } from '../support/wait-until.ts'
import { servedPackages } from '../support/yum-client.ts'

const roles = 'api,content,worker'
const folder = 'killed'

let ground: SharedGround
let processes: readonly ServerProcess[]
let lab: ViewLab<ServerProcess>
let upstream: MadeUpstream
let repository: Json
let packages: readonly MadePackage[] = [madePackage('first')]
before(async () => {
  ground = await openSharedGround()
  upstream = await MadeUpstream.start()
  processes = await Promise.all([ground.start(roles), ground.start(roles)])
  lab = new ViewLab(processes[0] as ServerProcess)
  upstream.folders.set(folder, madeFiles(packages))
  repository = await createRepository(folder, 'immediate')
  assert.equal((await syncToEnd(lab.server, repository.id)).result, 'success')
})
after(async () => {
  await ground[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

const query = async (text: string, values: unknown[] = []): Promise<Json[]> =>
  (await ground.database.database.pool.query(text, values)).rows

async function createRepository(name: string, download_policy: string): Promise<Json> {
  const { id } = await lab.create('products', { organization_id: 1, name: `Product of ${name}` })
  const attributes = { content_type: 'yum', url: upstream.url(name), download_policy }
  return lab.create('repositories', { product_id: id, name, ...attributes })
}

/** A place where work is held up, until it is let go. */
interface Hold {
  isReached(): Promise<boolean>
  release(): Promise<void>
}

/** Before something is written to a table, or read from it. */
async function holdAt(table: string, access: 'writing' | 'reading' = 'writing'): Promise<Hold> {
  const client = await ground.database.database.pool.connect()
  const mode = access === 'writing' ? 'share' : 'access exclusive'
  await client.query(`begin; lock table ${table} in ${mode} mode`)
  const waiting = `select 1 from pg_locks where relation = '${table}'::regclass and not granted`
  return {
    isReached: async () => (await query(waiting)).length > 0,
    release: async () => {
      await client.query('rollback')
      client.release()
    },
  }
}

/** In the middle of a file of the upstream. */
async function holdFetch(isMeant: (path: string) => boolean): Promise<Hold> {
  let isReached = false
  upstream.answers.set(folder, (path, response) => {
    const bytes = isMeant(path) ? upstream.folders.get(folder)?.get(path) : undefined
    if (bytes === undefined) return
    isReached = true
    response.writeHead(200, { 'content-length': bytes.length }).write(bytes.subarray(0, bytes.length / 2))
  })
  return { isReached: async () => isReached, release: async () => void upstream.answers.delete(folder) }
}

/** Starts work, kills the process that does it where it is held, and gives the task when the other process has ended it. */
async function killAt(hold: Hold, start: () => Promise<string>, check = async () => {}): Promise<Json> {
  try {
    const id = await start()
    await waitUntil('the work is held', () => hold.isReached())
    const holder = await waitUntil('the task has a process', async () => {
      const named = 'select h.process from tasks t join task_holders h on h.id = t.holder where t.id = $1'
      const [row] = await query(named, [id])
      return processes.find(({ pid }) => row?.process.endsWith(`:${pid}`))
    })
    const survivor = processes.find((process) => process !== holder) as ServerProcess
    await holder.stop('SIGKILL')
    lab = new ViewLab(survivor)
    const next = ground.start(roles)
    await check()
    await hold.release()
    const task = await taskEnd(survivor, id)
    processes = [survivor, await next]
    return task
  } finally {
    await hold.release().catch(() => {})
  }
}

async function startSync({ id }: Json): Promise<string> {
  const answer = await lab.server.ask(`${repositories}/${id}/sync`, { method: 'POST' })
  assert.equal(answer.status, 202, JSON.stringify(answer.body))
  return answer.body.id
}

const indexOf = async (of: Json) => (await fetchPublished(lab.server, of, 'repodata/repomd.xml')).text()

const moments: readonly (readonly [string, (made: MadePackage) => Promise<Hold>])[] = [
  ['while it fetches the index', () => holdFetch((path) => path.endsWith('repomd.xml'))],
  ['while it fetches a list', () => holdFetch((path) => path.includes('filelists'))],
  ['while it reads the lists', () => holdAt('units', 'reading')],
  ['while it fetches packages', (made) => holdFetch((path) => path === hrefOf(made))],
  ['while it stores packages', () => holdAt('rpm_packs')],
  ['after it has stored packages', () => holdAt('content_set_units')],
  ['while it publishes', () => holdAt('publications')],
]

describe('a process that is killed in a sync of packages', () => {
  for (const [index, [moment, hold]] of moments.entries()) {
    it(`${moment} leaves it to the other to end it, and old content is served until then`, async () => {
      const before = await indexOf(repository)
      const made = madePackage(`later${index}`)
      packages = [...packages, made]
      upstream.folders.set(folder, madeFiles(packages))

      const task = await killAt(
        await hold(made),
        () => startSync(repository),
        async () => assert.equal(await indexOf(repository), before),
      )

      assert.equal(task.result, 'success', JSON.stringify(task.humanized))
      const found = (await servedPackages(lab.server, repository)) as Map<string, string>
      for (const each of packages) assert.ok(found.has(publishedPathOf(each)), each.name)
    })
  }

  it('while it packs many packages together leaves all of them whole', async () => {
    const names = Array.from({ length: 17 }, (_, index) => `small${index}`)
    const small = names.map((name) => madePackage(name))
    for (const [index, name] of names.entries()) upstream.folders.set(name, madeFiles([small[index] as MadePackage]))
    for (const name of names) {
      const one = await createRepository(name, 'on_demand')
      assert.equal((await syncToEnd(lab.server, one.id)).result, 'success')
    }
    upstream.folders.set('all', madeFiles(small))
    const all = await createRepository('all', 'on_demand')
    const packs = 'select count(distinct pack_id)::int as count from rpm_units where name like $1'
    assert.deepEqual(await query(packs, ['small%']), [{ count: 17 }])

    const task = await killAt(await holdAt('rpm_packs'), () => startSync(all))

    assert.equal(task.result, 'success', JSON.stringify(task.humanized))
    assert.deepEqual(await query(packs, ['small%']), [{ count: 1 }])
    assert.equal(((await servedPackages(lab.server, all)) as Map<string, string>).size, 17 + 4)
  })
})

describe('a process that is killed in an upload of a package', () => {
  for (const [moment, table] of [
    ['while it stores the package', 'rpm_packs'],
    ['while it publishes', 'publications'],
  ] as const) {
    it(`${moment} leaves it to the other to end it`, async () => {
      const before = await indexOf(repository)
      const main = [...leastMain.filter(([tag]) => tag !== 1000), [1000, 6, `sent-${table}`]] as typeof leastMain
      const body = form([['content[]', rpmBytes({ signature: leastSignature, main }), 'sent.rpm']])
      const start = async () => {
        const path = `${repositories}/${repository.id}/upload_content`
        lab.server.ask(path, { method: 'POST', body, headers: multipart }).catch(() => {})
        const [row] = await waitUntil('the upload is a task', async () => {
          const rows = await query("select id from tasks where state <> 'stopped' and label like '%Upload%'")
          return rows.length > 0 && rows
        })
        return (row as Json).id
      }

      const task = await killAt(await holdAt(table), start, async () => assert.equal(await indexOf(repository), before))

      assert.equal(task.result, 'success', JSON.stringify(task.humanized))
      const bytes = await served(lab.server, repository, `Packages/s/sent-${table}-1.0-1.noarch.rpm`)
      assert.ok(Buffer.isBuffer(bytes), String(bytes))
      assert.ok((await servedPackages(lab.server, repository)) instanceof Map)
    })
  }
})

describe('the disk after all of that', () => {
  it('holds nothing half-done, and nothing that nobody knows', async () => {
    const blobs = join(ground.folder, 'data', 'blobs')
    await waitUntil('nothing is half-done', async () => (await readdir(join(blobs, 'tmp'))).length === 0)
    const known = new Set((await query('select sha256 from artifacts')).map(({ sha256 }) => sha256))
    const stored = (await readdir(blobs, { recursive: true })).filter((name) => /^..\/\w{64}$/.test(name))
    assert.deepEqual(
      stored.filter((name) => !known.has(name.slice(3))),
      [],
    )
    assert.deepEqual(await query('select count(*)::int from sync_staging'), [{ count: 0 }])
    const lost = `select count(*)::int from rpm_packs p where unused_since is null
      and not exists (select 1 from rpm_units u where u.pack_id = p.id)`
    assert.deepEqual(await query(lost), [{ count: 0 }])
  })
})
