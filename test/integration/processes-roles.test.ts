import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createFileRepository, fetchPublished, syncToEnd, taskEnd } from '../support/content.ts'
import { FileUpstream } from '../support/file-upstream.ts'
import type { Json } from '../support/json.ts'
import { openSharedGround, type ServerProcess, type SharedGround } from '../support/server-process.ts'
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

  it('with all roles, but links in one of them only, do every operation through either address', async () => {
    const url = upstream.publish('everything', { one: '1', two: '2' })
    await using first = await ground.start('api,content,worker,links')
    await using second = await ground.start('api,content,worker')

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

  it('cannot both have the role links, and the second is told what to do', async () => {
    await using _first = await ground.start('links,api')

    const { code, complaints } = await ground.startInVain('api,content,worker,links')

    assert.equal(code, 1)
    assert.match(complaints, /another Backhaul runs on it, and only one can run with the role "links"/)
    assert.match(complaints, /BACKHAUL_ROLES/)
  })

  it('split into api with content, worker, and content do every operation', async () => {
    const url = upstream.publish('split', { one: '1', two: '2' })
    await using front = await ground.start('api,content')
    await using worker = await ground.start('worker')
    await using content = await ground.start('content')
    const other = { ...front, content: content.content }

    assert.deepEqual([worker.api, worker.content, content.api], ['', '', ''])
    await useEverything(front, other, url)
    assert.equal(front.complaints() + worker.complaints() + content.complaints(), '')
  })
})

describe('a process without a role', () => {
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

  async function queueSync(server: ServerProcess): Promise<Json> {
    const repository = await createFileRepository(server, upstream.publish('queued', { one: '1' }))
    return (await server.ask(`${repositories}/${repository.id}/sync`, { method: 'POST' })).body
  }

  it('runs no task without the role worker; one that comes later does', async () => {
    await using front = await ground.start('api,content')
    const task = await queueSync(front)
    const path = `/foreman_tasks/api/tasks/${task.id}`

    assert.equal((await front.ask(path)).body.state, 'planned')
    assert.equal((await ground.database.database.pool.query('select from task_holders')).rowCount, 0)

    await using _worker = await ground.start('worker')
    assert.equal((await taskEnd(front, task.id)).result, 'success')
  })

  it('answers no API without the role api, and says that such an address is not there', async () => {
    await using process = await ground.start('content')

    for (const path of ['/content/api/repositories', '/foreman_tasks/api/tasks', '/v2/version', '/docs']) {
      const answer = await fetch(process.content + path)
      assert.equal(answer.status, 404)
      assert.match(await answer.text(), /^Cannot find .*: (nothing is published there|there is no such address)\n$/)
    }
  })

  it('serves no content without the role content, and warns that it cannot tell where that is', async () => {
    await using process = await ground.start('api,worker')
    const repository = await createFileRepository(process, upstream.publish('unserved', { one: '1' }))
    assert.equal((await syncToEnd(process, repository.id)).result, 'success')

    assert.equal(await statusOf(`${process.api}/content/${repository.relative_path}/one`), 404)
    assert.match(process.complaints(), /BACKHAUL_CONTENT_URL/)
  })

  it('tells the addresses of content as BACKHAUL_CONTENT_URL says', async () => {
    await using process = await ground.start('api', { BACKHAUL_CONTENT_URL: 'https://content.example' })
    const repository = await createFileRepository(process, 'http://127.0.0.1:9/')

    assert.equal(repository.full_path, `https://content.example/content/${repository.relative_path}/`)
    assert.equal(process.complaints(), '')
  })
})
