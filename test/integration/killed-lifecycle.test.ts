import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { taskEnd } from '../support/content.ts'
import type { Json } from '../support/json.ts'
import { openSharedGround, type ServerProcess, type SharedGround } from '../support/server-process.ts'
import { ViewLab } from '../support/view-lab.ts'
import { waitUntil } from '../support/wait-until.ts'

const roles = 'api,content,worker'
const files = { 'a.txt': 'A', 'b.txt': 'B', 'left-out.iso': 'C' }

let ground: SharedGround
let processes: readonly ServerProcess[]
let lab: ViewLab<ServerProcess>
let repositories: Json[]
let view: Json
let environment: Json
before(async () => {
  ground = await openSharedGround()
  processes = await Promise.all([ground.start(roles), ground.start(roles)])
  lab = new ViewLab(processes[0] as ServerProcess)
  repositories = [await lab.createRepository(files), await lab.createRepository({ 'c.txt': 'of the other' })]
  view = await lab.createView({ repositories })
  const body = { content_view_id: view.id, type: 'file', name: 'No images', repository_ids: [repositories[0]?.id] }
  const filter = await lab.create('content_view_filters', body)
  await lab.create(`content_view_filters/${filter.id}/rules`, { path: '*.iso' })
  environment = await lab.createEnvironment('Dev')
})
after(() => ground[Symbol.asyncDispose]())

/** What a task does is stopped where it first writes to a table, and the process that runs it is killed there. */
async function killWhereItWrites(table: string, ask: () => Promise<Json>): Promise<Json> {
  const client = await ground.database.database.pool.connect()
  try {
    await client.query(`begin; lock table ${table} in share mode`)
    const { id } = await ask()
    const holder = await waitUntil('the task waits for the table', async () => {
      const waiting = `select 1 from pg_locks where relation = '${table}'::regclass and not granted`
      if ((await ground.database.database.pool.query(waiting)).rows.length === 0) return false
      const named = 'select h.process from tasks t join task_holders h on h.id = t.holder where t.id = $1'
      const { rows } = await client.query(named, [id])
      return processes.find(({ pid }) => rows[0].process.endsWith(`:${pid}`))
    })
    const survivor = processes.find((process) => process !== holder) as ServerProcess
    await holder.stop('SIGKILL')
    await client.query('rollback')
    lab = new ViewLab(survivor)
    const task = await taskEnd(survivor, id)
    processes = [survivor, await ground.start(roles)]
    return task
  } finally {
    client.release()
  }
}

async function asked(method: string, path: string, body: object = {}): Promise<Json> {
  const answer = await lab.server.ask(`/content/api/${path}`, { method, body })
  assert.equal(answer.status, 202, JSON.stringify(answer.body))
  return answer.body
}

async function copiesOf(version: number): Promise<unknown[]> {
  const copies = await lab.list({ content_view_version_id: version })
  return Promise.all(
    copies.map(async (copy) => [copy.kt_environment?.name, Object.keys((await lab.served(copy)) as object).sort()]),
  )
}

const contents = [
  ['PULP_MANIFEST', 'a.txt', 'b.txt'],
  ['PULP_MANIFEST', 'c.txt'],
]
const shownIn = (...places: readonly (string | undefined)[]) =>
  places.flatMap((place) => contents.map((names) => [place, names]))

/** Nothing is left of what was begun. */
async function assertNothingHalf(): Promise<void> {
  const { rows } = await ground.database.database.pool.query(`
    select count(*)::int from content_sets s where s.task_id is not null
      or not exists (select 1 from repositories r where r.set_id = s.id)`)
  assert.deepEqual(rows, [{ count: 0 }])
}

describe('a process that is killed', () => {
  let versions = 0
  for (const [moment, table] of [
    ['while it chooses what a filter lets pass', 'content_set_units'],
    ['while it writes metadata', 'publications'],
    ['before the version is there', 'content_view_versions'],
    ['after all of the version but its history is written', 'content_view_history'],
  ] as const) {
    it(`${moment} leaves it to the other to publish one whole version`, async () => {
      const task = await killWhereItWrites(table, () => asked('POST', `content_views/${view.id}/publish`))

      versions += 1
      assert.equal(task.result, 'success', JSON.stringify(task.humanized))
      const shown = await lab.show(`content_views/${view.id}`)
      assert.equal(shown.versions.length, versions)
      const { content_view_version_id: version } = task.output
      assert.deepEqual(
        await copiesOf(version),
        shownIn(...(versions === 1 ? [undefined, 'Library'] : ['Library', undefined])),
      )
      await assertNothingHalf()
    })
  }

  it('in the middle of a promotion leaves it to the other to show all of the version', async () => {
    const { latest_version_id: version } = await lab.show(`content_views/${view.id}`)
    const body = { environment_ids: [environment.id] }
    const path = `content_view_versions/${version}/promote`
    const task = await killWhereItWrites('content_view_history', () => asked('POST', path, body))

    assert.equal(task.result, 'success', JSON.stringify(task.humanized))
    assert.deepEqual(await copiesOf(version), shownIn('Library', undefined, 'Dev'))
    const { results } = await lab.show(`content_views/${view.id}/history?full_result=true`)
    assert.equal(results.filter(({ action }: Json) => action === 'promotion').length, 1)
  })

  for (const [moment, table, file] of [
    ['in the middle of a deletion', 'content_view_versions', 'a.txt'],
    ['between a deletion and giving back the bytes', 'units', 'b.txt'],
  ] as const) {
    it(`${moment} leaves it to the other to end it`, async () => {
      const { versions: all } = await lab.show(`content_views/${view.id}`)
      const old = all.find(({ environment_ids: places }: Json) => places.length === 0)
      const before = await copiesOf((await lab.show(`content_views/${view.id}`)).latest_version_id)
      await lab.remove(repositories[0] as Json, file)

      const task = await killWhereItWrites(table, () => asked('DELETE', `content_view_versions/${old.id}`))

      assert.equal(task.result, 'success', JSON.stringify(task.humanized))
      assert.equal((await lab.server.ask(`/content/api/content_view_versions/${old.id}`)).status, 404)
      assert.deepEqual(await copiesOf((await lab.show(`content_views/${view.id}`)).latest_version_id), before)
      await assertNothingHalf()
    })
  }
})
