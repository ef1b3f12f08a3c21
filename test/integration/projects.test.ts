import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { listen } from '../support/events.ts'
import { createLab, lacksVpcs, post, put } from '../support/lab.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { waitUntil } from '../support/wait-until.ts'

let server: TestServer
const as = 'plain:plain password'
before(async () => {
  server = await startTestServer()
  await server.ask('/api/users', { method: 'POST', body: { login: 'plain', password: 'plain password' } })
})
after(() => server[Symbol.asyncDispose]())

const actions = (heard: readonly { action: string }[]) => heard.map(({ action }) => action)
const status = async (path: string) => (await server.ask(path)).body.status

describe('a project', () => {
  it('tells what it holds, also when it is closed', async () => {
    const { base, nodes } = await createLab(server)
    await post(server, `${base}/drawings`, {})
    await post(server, `${base}/close`)

    const answer = await server.ask(`${base}/stats`)

    assert.equal(answer.status, 200)
    assert.deepEqual(answer.body, { nodes: nodes.length, links: 1, drawings: 1, snapshots: 0 })
    assert.equal((await server.ask(`${base}/stats`, { as })).status, 404)
    assert.equal((await server.ask('/v2/projects/x/stats')).status, 404)
  })

  it('is known under one writing of its id', async () => {
    const { base } = await createLab(server)

    assert.equal((await server.ask(base.replace(/[^/]+$/, (id) => id.toUpperCase()))).status, 404)
  })
})

describe('events of projects', () => {
  it('tell of each change once, to those who look at the list', async () => {
    await using listener = await listen(server, '/v2/notifications')
    const project = await post(server, '/v2/projects', { name: 'told' })
    const base = `/v2/projects/${project.project_id}`
    await put(server, base, { zoom: 50 })
    await put(server, base, { zoom: 50 })
    await post(server, `${base}/open`)
    await post(server, `${base}/close`)
    await post(server, `${base}/close`)
    await post(server, `${base}/open`)
    await server.ask(base, { method: 'DELETE' })

    const heard = await listener.until('project.deleted')
    assert.deepEqual(
      actions(heard),
      ['created', 'updated', 'closed', 'opened', 'deleted'].map((change) => `project.${change}`),
    )
    assert.equal(heard[1]?.event.zoom, 50)
    assert.equal(heard[2]?.event.status, 'closed')
    assert.ok(heard.every(({ event }) => event.project_id === project.project_id))
    assert.deepEqual(Object.keys(heard[4] ?? {}), ['action', 'event'])
  })

  it('tell those who look at one of its changes and its end', async () => {
    const { base } = await createLab(server)
    await using listener = await listen(server, `${base}/notifications`)
    await put(server, base, { show_grid: true })
    await post(server, `${base}/close`)

    assert.deepEqual(actions(await listener.until('project.closed')), ['project.updated', 'project.closed'])
  })

  it('are for those who may see the project, its end too', async () => {
    await using listener = await listen(server, '/v2/notifications', as)
    const hidden = await post(server, '/v2/projects', { name: 'hidden' })
    await server.ask(`/v2/projects/${hidden.project_id}`, { method: 'DELETE' })
    const own = await server.ask('/v2/projects', { method: 'POST', body: { name: 'own' }, as })
    await server.ask(`/v2/projects/${own.body.project_id}`, { method: 'DELETE', as })

    const heard = await listener.until('project.deleted')
    assert.deepEqual(
      heard.map(({ event }) => event.name).filter((name, index, names) => names.indexOf(name) === index),
      ['own'],
    )
    assert.equal(heard.at(-1)?.action, 'project.deleted')
  })
})

describe('a project that starts by itself', { skip: lacksVpcs }, () => {
  it('starts its nodes when it is opened, and says which it could not', async () => {
    const { base, nodes } = await createLab(server)
    const host = await post(server, `${base}/nodes`, {
      name: 'H',
      node_type: 'host',
      compute_id: 'local',
      properties: { startup_commands: ['exit 7'] },
    })
    await put(server, base, { auto_start: true })
    await post(server, `${base}/close`)
    await using listener = await listen(server, `${base}/notifications`)

    const opened = await server.ask(`${base}/open`, { method: 'POST' })

    assert.equal(opened.status, 201)
    assert.equal(opened.body.status, 'opened')
    for (const { node_id } of nodes) assert.equal(await status(`${base}/nodes/${node_id}`), 'started')
    assert.equal(await status(`${base}/nodes/${host.node_id}`), 'stopped')
    const heard = await listener.until('log.warning')
    assert.match(heard.find(({ action }) => action === 'log.warning')?.event.message, /Cannot start H/)
  })

  it('is opened when the server starts, if it is to be', async () => {
    const first = await startTestServer()
    const { base, nodes } = await createLab(first)
    const kept = await createLab(first)
    await put(first, base, { auto_open: true, auto_start: true })
    await post(first, `${base}/close`)
    await post(first, `${kept.base}/close`)
    await first.app[Symbol.asyncDispose]()

    await using second = await startTestServer({
      BACKHAUL_DATABASE_URL: first.database.url,
      BACKHAUL_DATA: `${first.folder}/data`,
    })
    await waitUntil('the project is open', async () => (await second.ask(base)).body.status === 'opened')
    assert.equal((await second.ask(`${base}/nodes/${nodes[0].node_id}`)).body.status, 'started')
    assert.equal((await second.ask(kept.base)).body.status, 'closed')
    await second.app[Symbol.asyncDispose]()
    await first[Symbol.asyncDispose]()
  })
})
