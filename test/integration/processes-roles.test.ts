import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createFileRepository, fetchPublished, syncToEnd, taskEnd } from '../support/content.ts'
import { FileUpstream } from '../support/file-upstream.ts'
import type { Json } from '../support/json.ts'
import { openSharedGround, type SharedGround } from '../support/server-process.ts'
import type { ReachableServer } from '../support/test-server.ts'
import { form, multipart, repositories, served } from '../support/uploads.ts'
import { waitUntil } from '../support/wait-until.ts'

async function statusOf(url: string): Promise<number> {
  return (await fetch(url)).status
}

/** Asks one process to do everything that can be done with a repository, and the other whether it was done. */
async function useEverything(actor: ReachableServer, witness: ReachableServer, url: string): Promise<void> {
  const repository = await createFileRepository(actor, url)
  const path = `${repositories}/${repository.id}`
  assert.equal((await witness.ask(path)).body.name, repository.name)

  const synced = await syncToEnd(actor, repository.id)
  assert.equal(synced.result, 'success', JSON.stringify(synced.humanized))
  assert.equal((await witness.ask(`/foreman_tasks/api/tasks/${synced.id}`)).body.result, 'success')
  assert.equal(String(await served(witness, repository, 'one')), '1')

  const body = form([['content', 'sent', 'sent']])
  const uploaded = await actor.ask(`${path}/upload_content`, { method: 'POST', body, headers: multipart })
  assert.equal(uploaded.status, 200, JSON.stringify(uploaded.body))
  assert.equal(String(await served(witness, repository, 'sent')), 'sent')

  const republished = await actor.ask(`${path}/republish`, { method: 'PUT', body: { force: true } })
  assert.equal((await taskEnd(witness, republished.body.id)).result, 'success')

  const listed = await witness.ask('/foreman_tasks/api/tasks?per_page=1000')
  const ids = listed.body.results.map(({ id }: Json) => id)
  for (const id of [synced.id, republished.body.id]) assert.ok(ids.includes(id))

  const deleted = await actor.ask(path, { method: 'DELETE' })
  assert.ok(deleted.status < 300, JSON.stringify(deleted.body))
  assert.equal((await witness.ask(path)).status, 404)
  await waitUntil('it is served no more', async () => (await fetchPublished(witness, repository, 'one')).status === 404)
}

describe('processes that share a database and a data folder', () => {
  let ground: SharedGround
  let upstream: FileUpstream
  before(async () => {
    ground = await openSharedGround()
    upstream = await FileUpstream.start()
  })
  after(async () => {
    await ground[Symbol.asyncDispose]()
    await upstream[Symbol.asyncDispose]()
  })

  /** How many living processes could run tasks. */
  async function countTaskHolders(): Promise<number | null> {
    const { rowCount } = await ground.database.database.pool.query(
      `select from task_holders join pg_locks on classid = 7206413 and objid = id
       where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`,
    )
    return rowCount
  }

  it('with all roles do every operation through either address, and only one of them can have links', async () => {
    const url = upstream.publish('everything', { one: '1', two: '2' })
    await using first = await ground.start('api,content,worker,links')
    const [refused, started] = await Promise.all([
      ground.startInVain('api,content,worker,links'),
      ground.start('api,content,worker'),
    ])
    await using second = started

    assert.equal(refused.code, 1)
    assert.match(refused.complaints, /another Backhaul runs on it, and only one can run with the role "links"/)
    assert.match(refused.complaints, /leave "links" out of BACKHAUL_ROLES/)

    await Promise.all([useEverything(first, second, url), useEverything(second, first, url)])

    for (const { api, content } of [first, second]) {
      assert.equal(await statusOf(`${api}/readyz`), 200)
      assert.equal(await statusOf(`${content}/readyz`), 200)
    }
    assert.equal((await first.ask('/v2/projects')).status, 200)
    const { status, body } = await second.ask('/v2/projects')
    assert.equal(status, 404)
    assert.match(body.message, /there is no such address/)
    assert.equal(first.complaints() + second.complaints(), '')
  })

  it('split into api with content, worker, and content do every operation, and each only its own', async () => {
    const url = upstream.publish('split', { one: '1', two: '2' })
    await using front = await ground.start('api,content')
    const repository = await createFileRepository(front, url)
    const { body: task } = await front.ask(`${repositories}/${repository.id}/sync`, { method: 'POST' })
    const { body: waiting } = await front.ask(`/foreman_tasks/api/tasks/${task.id}`)
    assert.equal(waiting.state, 'planned')
    assert.equal(await countTaskHolders(), 0)

    const [worker, content] = await Promise.all([ground.start('worker'), ground.start('content')])

    assert.equal(await countTaskHolders(), 1)
    assert.equal((await taskEnd(front, task.id)).result, 'success')
    await useEverything(front, { ...front, content: content.content }, url)
    assert.deepEqual([worker.api, worker.content, content.api], ['', '', ''])
    assert.equal(await statusOf(`${content.content}/readyz`), 200)
    for (const path of ['/content/api/repositories', '/foreman_tasks/api/tasks', '/v2/version', '/docs']) {
      const answer = await fetch(content.content + path)
      assert.equal(answer.status, 404)
      assert.match(await answer.text(), /^Cannot find .*: (nothing is published there|there is no such address)\n$/)
    }
    assert.equal(front.complaints() + worker.complaints() + content.complaints(), '')
    await Promise.all([worker.stop(), content.stop()])
  })

  it('tell the addresses of content that another serves, or warn that they cannot', async () => {
    const url = 'https://content.example'
    const [warned, told] = await Promise.all([
      ground.start('api,worker'),
      ground.start('api', { BACKHAUL_CONTENT_URL: url }),
    ])
    const repository = await createFileRepository(warned, upstream.publish('unserved', { one: '1' }))
    assert.equal((await syncToEnd(told, repository.id)).result, 'success')

    assert.equal(await statusOf(`${warned.api}/content/${repository.relative_path}/one`), 404)
    assert.match(warned.complaints(), /BACKHAUL_CONTENT_URL is not set/)
    const { body } = await told.ask(`${repositories}/${repository.id}`)
    assert.equal(body.full_path, `${url}/content/${repository.relative_path}/`)
    assert.equal(told.complaints(), '')
    await Promise.all([warned.stop(), told.stop()])
  })
})
