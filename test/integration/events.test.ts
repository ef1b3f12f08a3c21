import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { listen, listenBySocket } from '../support/events.ts'
import { createLab, post, put } from '../support/lab.ts'
import { adminPassword, startTestServer, type TestServer } from '../support/test-server.ts'
import { waitUntil } from '../support/wait-until.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server[Symbol.asyncDispose]())

const actions = (heard: readonly { action: string }[]) => heard.map(({ action }) => action)

function socketUrl(path: string): URL {
  const url = new URL(path, server.api)
  url.protocol = 'ws:'
  return url
}

async function createToken(): Promise<string> {
  const { body } = await server.ask('/api/users/1/personal_access_tokens', {
    method: 'POST',
    body: { name: `token ${Math.random()}` },
  })
  return body.token_value
}

describe('events of a project', () => {
  it('tell of each change once, in order, with the whole object as it is stored', async () => {
    const lab = await createLab(server)
    await using listener = await listen(server, `${lab.base}/notifications`)

    await put(server, lab.linkPath, { filters: { delay: [5] }, suspend: true, link_style: { color: '#ff0000' } })
    const cloud = await post(server, `${lab.base}/nodes`, { name: 'Cloud1', node_type: 'cloud', compute_id: 'local' })
    await put(server, `${lab.base}/nodes/${cloud.node_id}`, { x: 10 })
    await server.ask(lab.linkPath, { method: 'DELETE' })
    await server.ask(`${lab.base}/nodes/${cloud.node_id}`, { method: 'DELETE' })

    const heard = await listener.until('node.deleted')
    assert.deepEqual(actions(heard), ['link.updated', 'node.created', 'node.updated', 'link.deleted', 'node.deleted'])
    assert.deepEqual(heard[0]?.event.filters, { delay: [5] })
    assert.equal(heard[0]?.event.suspend, true)
    assert.equal(heard[1]?.event.status, 'started')
    assert.equal(heard[2]?.event.x, 10)
    assert.equal(heard[3]?.event.link_id, lab.link.link_id)
  })

  it('say nothing of what changed nothing and of what was refused', async () => {
    const lab = await createLab(server)
    await using listener = await listen(server, `${lab.base}/notifications`)

    await put(server, lab.linkPath, {})
    await put(server, lab.linkPath, { suspend: false, filters: { packet_loss: [0] } })
    await server.ask(lab.linkPath, { method: 'PUT', body: { filters: { packet_loss: [101] } } })
    await server.ask(`${lab.base}/links`, { method: 'POST', body: { nodes: [] } })
    await server.ask(`${lab.linkPath}/start_capture`, { method: 'POST' })
    await server.ask(lab.linkPath, { method: 'DELETE' })

    assert.deepEqual(actions(await listener.until('link.deleted')), ['link.deleted'])
  })

  it('tell of the links of a node that is deleted before they tell of the node', async () => {
    const lab = await createLab(server)
    await using listener = await listen(server, `${lab.base}/notifications`)
    await server.ask(`${lab.base}/nodes/${lab.nodes[0].node_id}`, { method: 'DELETE' })

    assert.deepEqual(actions(await listener.until('node.deleted')), ['link.deleted', 'node.deleted'])
  })

  it('come by websocket too, to who has a token in the address', async () => {
    const lab = await createLab(server)
    const token = await createToken()
    await using listener = await listenBySocket(socketUrl(`${lab.base}/notifications/ws?token=${token}`))
    await put(server, lab.linkPath, { suspend: true })

    assert.deepEqual(actions(await listener.until('link.updated')), ['link.updated'])
  })

  it('are for who may see the project: others are told that it is not there', async () => {
    const lab = await createLab(server)
    await server.ask('/api/users', { method: 'POST', body: { login: 'eve', password: 'some password' } })
    const answer = await server.ask(`${lab.base}/notifications`, { as: 'eve:some password' })

    assert.equal(answer.status, 404)
    assert.equal((await server.ask(`${lab.base}/notifications`, { as: null })).status, 401)
  })

  it('are heard by who was let in, until they are taken out', async () => {
    const lab = await createLab(server)
    await server.ask('/api/users', { method: 'POST', body: { login: 'ann', password: 'some password' } })
    const { id } = (await server.ask('/api/users')).body.results.find(({ login }: { login: string }) => login === 'ann')
    await server.ask(`${lab.base}/members/${id}`, { method: 'PUT' })
    await using listener = await listen(server, `${lab.base}/notifications`, 'ann:some password')
    await put(server, lab.linkPath, { suspend: true })
    await listener.until('link.updated')
    await server.ask(`${lab.base}/members/${id}`, { method: 'DELETE' })
    await server.ask(lab.linkPath, { method: 'DELETE' })
    await using witness = await listen(server, `${lab.base}/notifications`)
    await server.ask(`${lab.base}/nodes/${lab.nodes[0].node_id}`, { method: 'DELETE' })
    await witness.until('node.deleted')

    assert.deepEqual(actions(listener.heard), ['link.updated'])
  })

  it('end when the server stops', async () => {
    const other = await startTestServer()
    const lab = await createLab(other)
    const listener = await listen(other, `${lab.base}/notifications`)
    await other[Symbol.asyncDispose]()

    await listener.ended
  })
})

describe('a project that closes itself', () => {
  it('does so a while after its last listener has left', async () => {
    const lab = await createLab(server)
    const first = await listen(server, `${lab.base}/notifications`)
    const second = await listen(server, `${lab.base}/notifications`)
    await first[Symbol.asyncDispose]()
    await second[Symbol.asyncDispose]()

    await waitUntil('the project is closed', async () => (await server.ask(lab.base)).body.status === 'closed')
  })

  it('stays open when somebody listens again, or when it was told to', async () => {
    const lab = await createLab(server)
    const kept = await createLab(server)
    await put(server, kept.base, { auto_close: false })
    await (await listen(server, `${kept.base}/notifications`))[Symbol.asyncDispose]()
    await (await listen(server, `${lab.base}/notifications`))[Symbol.asyncDispose]()
    const closing = await createLab(server)
    await using _again = await listen(server, `${lab.base}/notifications`)
    await (await listen(server, `${closing.base}/notifications`))[Symbol.asyncDispose]()

    await waitUntil('a later one is closed', async () => (await server.ask(closing.base)).body.status === 'closed')
    assert.equal((await server.ask(lab.base)).body.status, 'opened')
    assert.equal((await server.ask(kept.base)).body.status, 'opened')
  })
})

describe('a websocket', () => {
  const upgrade = (path: string, headers: Record<string, string> = {}) =>
    new Promise<{ status: number; body: string }>((resolve, reject) => {
      const { hostname, port } = new URL(server.api)
      import('node:http').then(({ request }) =>
        request({
          hostname,
          port,
          path,
          headers: {
            connection: 'Upgrade',
            upgrade: 'websocket',
            'sec-websocket-version': '13',
            'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
            ...headers,
          },
        })
          .on('response', async (response) => {
            let body = ''
            for await (const chunk of response) body += chunk
            resolve({ status: response.statusCode ?? 0, body })
          })
          .on('upgrade', (response, socket) => {
            socket.destroy()
            resolve({ status: response.statusCode ?? 0, body: '' })
          })
          .on('error', reject)
          .end(),
      )
    })
  const authorization = `Basic ${Buffer.from(`admin:${adminPassword}`).toString('base64')}`

  it('is refused as any request is, before it is one', async () => {
    const unknown = '/v2/projects/00000000-0000-4000-8000-000000000000/notifications/ws'

    assert.equal((await upgrade('/v2/notifications/ws')).status, 401)
    assert.equal((await upgrade('/v2/notifications/ws?token=none')).status, 401)
    assert.equal((await upgrade(unknown, { authorization })).status, 404)
    assert.match((await upgrade(unknown, { authorization })).body, /"status":404/)
    assert.equal((await upgrade('/v2/nothing/ws', { authorization })).status, 404)
    assert.equal((await upgrade('/v2/notifications/ws', { authorization })).status, 101)
  })
})
