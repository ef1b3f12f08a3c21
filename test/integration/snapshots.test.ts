import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { messageIn } from '../support/error-answers.ts'
import { listen } from '../support/events.ts'
import type { Json } from '../support/json.ts'
import { createLab, lacksVpcs, post, put, startNodes } from '../support/lab.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { createFullProject, importDocument } from '../support/topology.ts'
import { ping } from '../support/vpcs-console.ts'

let server: TestServer
const as = 'plain:plain password'
before(async () => {
  server = await startTestServer()
  await server.ask('/api/users', { method: 'POST', body: { login: 'plain', password: 'plain password' } })
})
after(() => server[Symbol.asyncDispose]())

const remove = (path: string) => server.ask(path, { method: 'DELETE' })
const show = async (path: string): Promise<Json> => (await server.ask(path)).body

describe('a snapshot', () => {
  it('is listed under its name until it is deleted', async () => {
    const { base } = await createLab(server)
    const created = await server.ask(`${base}/snapshots`, { method: 'POST', body: { name: 'first' } })
    const { snapshot_id, created_at, ...rest } = created.body

    assert.equal(created.status, 201)
    assert.deepEqual(rest, { name: 'first', project_id: base.split('/').at(-1) as string })
    assert.ok(Number.isInteger(created_at) && Math.abs(created_at - Date.now() / 1000) < 60, created_at)
    assert.deepEqual(await show(`${base}/snapshots`), [created.body])
    assert.equal((await show(`${base}/stats`)).snapshots, 1)
    const folder = join(server.folder, 'data', 'projects', rest.project_id, 'snapshots')
    assert.deepEqual(await readdir(folder), [snapshot_id])
    assert.equal((await remove(`${base}/snapshots/${snapshot_id}`)).status, 204)
    assert.deepEqual(await show(`${base}/snapshots`), [])
    assert.deepEqual(await readdir(folder), [])
  })

  it('brings back what was deleted and changed, with the same ids and files', async () => {
    const { base, document } = await createFullProject(server)
    const nodes = await show(`${base}/nodes`)
    const links = await show(`${base}/links`)
    const folder = nodes[0].node_directory
    await mkdir(join(folder, 'below'), { recursive: true })
    await writeFile(join(folder, 'below', 'kept'), 'as it was')
    const { snapshot_id } = await post(server, `${base}/snapshots`, { name: 'before' })

    await put(server, `${base}/links/${links[0].link_id}`, { filters: { packet_loss: [50] }, suspend: true })
    await put(server, `${base}/nodes/${nodes[0].node_id}`, { name: 'Other', x: 500 })
    await remove(`${base}/nodes/${nodes[2].node_id}`)
    await remove(`${base}/links/${links[1].link_id}`)
    await remove(`${base}/drawings/${document.topology.drawings[0].drawing_id}`)
    const added = await post(server, `${base}/nodes`, { name: 'Added', node_type: 'vpcs', compute_id: 'local' })
    await writeFile(join(folder, 'below', 'kept'), 'changed')
    await writeFile(join(folder, 'new'), 'new')
    await put(server, base, { zoom: 10 })
    await using listener = await listen(server, `${base}/notifications`)

    const restored = await server.ask(`${base}/snapshots/${snapshot_id}/restore`, { method: 'POST' })

    assert.equal(restored.status, 201, JSON.stringify(restored.body))
    assert.equal(restored.body.status, 'opened')
    assert.equal(restored.body.zoom, 100)
    assert.deepEqual(await show(`${base}/export`), document)
    assert.deepEqual(await show(`${base}/nodes`), nodes)
    assert.deepEqual(await show(`${base}/links`), links)
    assert.equal((await server.ask(`${base}/nodes/${added.node_id}`)).status, 404)
    assert.deepEqual(await readdir(folder), ['below'])
    assert.equal(await readFile(join(folder, 'below', 'kept'), 'utf8'), 'as it was')
    const [, event] = await listener.until('snapshot.restored')
    assert.equal(event?.event.snapshot_id, snapshot_id)
    const project = await readdir(join(server.folder, 'data', 'projects', base.split('/').at(-1) as string))
    assert.deepEqual(project.sort(), ['project-files', 'snapshots'])
  })

  it('can be restored again and again, whatever was done in between', async () => {
    const { base, document } = await createFullProject(server)
    const { snapshot_id } = await post(server, `${base}/snapshots`, { name: 'before' })
    for (let round = 0; round < 3; round += 1) {
      for (const { node_id } of await show(`${base}/nodes`)) await remove(`${base}/nodes/${node_id}`)
      await post(server, `${base}/snapshots/${snapshot_id}/restore`)
      await post(server, `${base}/snapshots/${snapshot_id}/restore`)
      assert.deepEqual(await show(`${base}/export`), document)
    }
  })

  it('gives what has lost its id to another project a new one', async () => {
    const { base, document } = await createFullProject(server)
    const { snapshot_id } = await post(server, `${base}/snapshots`, { name: 'before' })
    for (const { node_id } of await show(`${base}/nodes`)) await remove(`${base}/nodes/${node_id}`)
    const other = await importDocument(server, document, { name: `taker ${randomUUID()}` })

    await post(server, `${base}/snapshots/${snapshot_id}/restore`)

    const taken = (await show(`/v2/projects/${other.body.project_id}/nodes`)).map(({ node_id }: Json) => node_id)
    const nodes = await show(`${base}/nodes`)
    assert.equal(taken[0], document.topology.nodes[0].node_id)
    assert.equal(nodes.length, taken.length)
    assert.ok(nodes.every(({ node_id }: Json) => !taken.includes(node_id)))
  })

  it('that is refused leaves no trace', async () => {
    const { base } = await createLab(server)
    const { snapshot_id } = await post(server, `${base}/snapshots`, { name: 'one' })
    for (const body of [{}, { name: '' }, { name: 7 }, { name: '../x' }, { name: 'a\0' }, { name: 'x', y: 1 }, []]) {
      const answer = await server.ask(`${base}/snapshots`, { method: 'POST', body })
      messageIn(answer, '/v2', 400)
    }
    messageIn(await server.ask(`${base}/snapshots`, { method: 'POST', body: { name: 'one' } }), '/v2', 409)
    for (const id of ['x', randomUUID()]) {
      assert.equal((await remove(`${base}/snapshots/${id}`)).status, 404)
      assert.equal((await server.ask(`${base}/snapshots/${id}/restore`, { method: 'POST' })).status, 404)
    }
    const other = await createLab(server)
    const path = `/snapshots/${snapshot_id}`
    assert.equal((await remove(`${other.base}${path}`)).status, 404)
    assert.equal((await server.ask(`${base}/snapshots`, { as })).status, 404)
    assert.equal((await server.ask(`${base}${path}/restore`, { method: 'POST', as })).status, 404)
    await post(server, `${base}/close`)
    assert.equal((await server.ask(`${base}${path}/restore`, { method: 'POST' })).status, 403)
    assert.equal((await remove(`${base}${path}`)).status, 403)
    assert.equal((await server.ask(`${base}/snapshots`, { method: 'POST', body: { name: 'two' } })).status, 403)
    assert.deepEqual(
      (await show(`${base}/snapshots`)).map(({ name }: Json) => name),
      ['one'],
    )
  })

  it('with nodes that the asker may not have changes nothing', async () => {
    const { base } = await createFullProject(server)
    await server.ask(`${base}/members/2`, { method: 'PUT' })
    const { snapshot_id } = await post(server, `${base}/snapshots`, { name: 'with a host' })
    await put(server, base, { zoom: 10 })
    const document = await show(`${base}/export`)

    const answer = await server.ask(`${base}/snapshots/${snapshot_id}/restore`, { method: 'POST', as })

    messageIn(answer, '/v2', 403)
    assert.deepEqual(await show(`${base}/export`), document)
    assert.equal((await show(`${base}/nodes`))[2].status, 'started')
  })
})

describe('a snapshot of nodes that run', { skip: lacksVpcs }, () => {
  it('is refused, and restoring one stops them', async () => {
    const lab = await createLab(server)
    const { base } = lab
    const { snapshot_id } = await post(server, `${base}/snapshots`, { name: 'at rest' })
    await startNodes(server, lab)
    await post(server, `${lab.linkPath}/start_capture`)
    const refused = await server.ask(`${base}/snapshots`, { method: 'POST', body: { name: 'too early' } })
    assert.match(messageIn(refused, '/v2', 409), /stop PC1/)

    await post(server, `${base}/snapshots/${snapshot_id}/restore`)

    const nodes = await show(`${base}/nodes`)
    assert.deepEqual(
      nodes.map(({ status, node_id }: Json) => [status, node_id]),
      lab.nodes.map(({ node_id }) => ['stopped', node_id]),
    )
    assert.equal((await show(lab.linkPath)).capturing, false)
    await startNodes(server, { base, nodes })
    assert.equal((await ping(nodes[0].console, '10.0.0.2')).length, 3)
  })
})
