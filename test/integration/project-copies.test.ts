import assert from 'node:assert/strict'
import { readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { messageIn } from '../support/error-answers.ts'
import type { Json } from '../support/json.ts'
import { createLab, lacksVpcs, post, put, startNodes } from '../support/lab.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { ping } from '../support/vpcs-console.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server[Symbol.asyncDispose]())

describe('a copy of a project', { skip: lacksVpcs }, () => {
  it('has nodes of its own that work, with copies of the files', async () => {
    const lab = await createLab(server)
    const { base } = lab
    const folder = lab.nodes[0].node_directory
    await startNodes(server, lab)
    const refused = await server.ask(`${base}/duplicate`, { method: 'POST', body: { name: 'too early' } })
    messageIn(refused, '/v2', 409)
    await post(server, `${base}/nodes/stop`)
    await writeFile(join(folder, 'kept.txt'), 'kept', { mode: 0o4755 })
    await symlink('/etc/passwd', join(folder, 'link'))
    await put(server, lab.linkPath, { filters: { delay: [15] } })

    const made = await server.ask(`${base}/duplicate`, { method: 'POST', body: { name: 'the copy' } })

    assert.equal(made.status, 201)
    assert.equal(made.body.status, 'closed')
    const copy = `/v2/projects/${made.body.project_id}`
    await post(server, `${copy}/open`)
    const nodes: Json = (await server.ask(`${copy}/nodes`)).body
    assert.equal(await readFile(join(nodes[0].node_directory, 'kept.txt'), 'utf8'), 'kept')
    await startNodes(server, lab)
    await startNodes(server, { base: copy, nodes })
    const [echo = 0] = await ping(nodes[0].console, '10.0.0.2')
    assert.ok(echo >= 30, `${echo}`)
    assert.equal((await ping(lab.nodes[0].console, '10.0.0.2')).length, 3)
    await server.ask(base, { method: 'DELETE' })
    assert.equal((await ping(nodes[0].console, '10.0.0.2')).length, 3)
    const again = await server.ask(`${copy}/duplicate`, { method: 'POST', body: { name: 'the copy' } })
    assert.equal(again.status, 409)
  })

  it('that is refused leaves no files', async () => {
    const { base, nodes } = await createLab(server)
    await post(server, `${base}/nodes/${nodes[0].node_id}/start`)
    await post(server, `${base}/nodes/stop`)
    const folders = () => readdir(join(server.folder, 'data', 'projects'))
    const before = await folders()
    const { name } = (await server.ask(base)).body

    messageIn(await server.ask(`${base}/duplicate`, { method: 'POST', body: { name } }), '/v2', 409)
    messageIn(await server.ask(`${base}/duplicate`, { method: 'POST', body: {} }), '/v2', 400)

    assert.deepEqual(await folders(), before)
  })
})
