import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { messageIn } from '../support/error-answers.ts'
import { listen } from '../support/events.ts'
import { post, put } from '../support/lab.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'

let server: TestServer
let projects = 0
const as = 'plain:plain password'
const svg = '<svg height="100" width="200"><ellipse cx="100" cy="50" fill="#ffffff" rx="100" ry="50" /></svg>'
const nowhere = '00000000-0000-4000-8000-000000000000'
before(async () => {
  server = await startTestServer()
  await server.ask('/api/users', { method: 'POST', body: { login: 'plain', password: 'plain password' } })
})
after(() => server[Symbol.asyncDispose]())

async function createProject(): Promise<string> {
  projects += 1
  return `/v2/projects/${(await post(server, '/v2/projects', { name: `drawn ${projects}` })).project_id}`
}

describe('a drawing', () => {
  it('is kept as it was given, changed in parts, and deleted', async () => {
    const base = await createProject()
    await using listener = await listen(server, `${base}/notifications`)
    const created = await server.ask(`${base}/drawings`, { method: 'POST', body: { svg, x: -5, y: 7.5, rotation: 45 } })
    const { drawing_id, ...looks } = created.body
    const path = `${base}/drawings/${drawing_id}`
    const changed = await server.ask(path, {
      method: 'PUT',
      body: { locked: true, z: 1, drawing_id: nowhere, other: 1 },
    })
    await put(server, path, { locked: true })
    const shown = await server.ask(path)
    const deleted = await server.ask(path, { method: 'DELETE' })

    assert.equal(created.status, 201)
    const project_id = base.split('/').at(-1)
    assert.deepEqual(looks, { project_id, x: -5, y: 7.5, z: 2, rotation: 45, locked: false, svg })
    assert.equal(changed.status, 201)
    assert.deepEqual(changed.body, { ...created.body, locked: true, z: 1 })
    assert.deepEqual(shown.body, changed.body)
    assert.equal(deleted.status, 204)
    assert.equal((await server.ask(path)).status, 404)
    const heard = await listener.until('drawing.deleted')
    assert.deepEqual(
      heard.map(({ action }) => action),
      ['drawing.created', 'drawing.updated', 'drawing.deleted'],
    )
    assert.deepEqual(heard[1]?.event, changed.body)
  })

  it('may be as large as five million characters, however they are written', async () => {
    const base = await createProject()
    const text = `<svg>${'"'.repeat(5 * 1024 * 1024 - 11)}</svg>`
    const { drawing_id } = await post(server, `${base}/drawings`, { svg: text })

    assert.equal((await server.ask(`${base}/drawings/${drawing_id}`)).body.svg, text)
    const larger = await server.ask(`${base}/drawings`, { method: 'POST', body: { svg: `${text} ` } })
    assert.match(messageIn(larger, '/v2', 400), /svg/)
  })

  it('that is refused leaves no trace', async () => {
    const base = await createProject()
    const { drawing_id } = await post(server, `${base}/drawings`, { svg })
    for (const [body, field] of [
      [{ svg: '<html></html>' }, /svg/],
      [{ svg: 7 }, /svg/],
      [{ svg: 'a.png' }, /svg/],
      [{ svg: '<svg>\0</svg>' }, /svg/],
      [{ x: 'left' }, /x/],
      [{ z: 1.5 }, /z/],
      [{ z: 1e10 }, /z/],
      [{ rotation: 361 }, /rotation/],
      [{ locked: 1 }, /locked/],
    ] as const) {
      const created = await server.ask(`${base}/drawings`, { method: 'POST', body })
      const changed = await server.ask(`${base}/drawings/${drawing_id}`, { method: 'PUT', body: { y: 1, ...body } })
      assert.match(messageIn(created, '/v2', 400), field)
      assert.match(messageIn(changed, '/v2', 400), field)
    }
    for (const body of [{ other: 1 }, { drawing_id: 'x' }, []]) {
      assert.equal((await server.ask(`${base}/drawings`, { method: 'POST', body })).status, 400)
    }
    assert.equal((await server.ask(`${base}/drawings`, { method: 'POST', body: { drawing_id } })).status, 409)
    const { body } = await server.ask(`${base}/drawings`)
    assert.deepEqual(
      body.map(({ y }: { y: number }) => y),
      [0],
    )
  })

  it('rests with its project, and is only there for those who may see that', async () => {
    const base = await createProject()
    const { drawing_id } = await post(server, `${base}/drawings`, { svg })
    const path = `${base}/drawings/${drawing_id}`
    const other = await createProject()

    assert.equal((await server.ask(`${other}/drawings/${drawing_id}`)).status, 404)
    assert.equal((await server.ask(`${other}/drawings/${drawing_id}`, { method: 'DELETE' })).status, 404)
    for (const id of ['x', '%00', nowhere]) {
      assert.ok([400, 404].includes((await server.ask(`${base}/drawings/${id}`)).status))
    }
    for (const asking of [{}, { method: 'PUT', body: { x: 1 } }, { method: 'DELETE' }]) {
      assert.equal((await server.ask(path, { ...asking, as })).status, 404)
    }
    assert.equal((await server.ask(`${base}/drawings`, { as })).status, 404)
    await post(server, `${base}/close`)
    assert.equal((await server.ask(`${base}/drawings`)).body.length, 1)
    for (const asking of [{}, { method: 'PUT', body: { x: 1 } }, { method: 'DELETE' }]) {
      assert.equal((await server.ask(path, asking)).status, 403)
    }
    assert.equal((await server.ask(`${base}/drawings`, { method: 'POST', body: {} })).status, 403)
  })
})
