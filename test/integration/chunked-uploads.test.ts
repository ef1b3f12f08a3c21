import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { createFileRepository, taskEnd } from '../support/content.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { ChunkedUploads, form, multipart, repositories, served, sha256 } from '../support/uploads.ts'

let server: TestServer
let chunks: ChunkedUploads
before(async () => {
  server = await startTestServer()
  chunks = new ChunkedUploads(server)
})
after(() => server[Symbol.asyncDispose]())

const newRepository = () => createFileRepository(server, 'http://127.0.0.1:1/')

describe('an upload in chunks', () => {
  const whole = randomBytes(5_000)

  it('takes multipart, urlencoded and raw bytes in any order, and overlapping', async () => {
    const repository = await newRepository()
    const id = await chunks.begin(repository.id, whole.length)
    const path = `${repositories}/${repository.id}/content_uploads/${id}`
    const encoded = [...whole.subarray(2000, 3500)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')

    const statuses = [
      await chunks.send(repository.id, id, 0, randomBytes(4000)),
      await chunks.send(repository.id, id, 3000, whole.subarray(3000)),
      (
        await server.ask(path, {
          method: 'PUT',
          body: `content=${encoded}&offset=2000&size=5000`,
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        })
      ).status,
      (
        await server.ask(`${path}?offset=0`, {
          method: 'PUT',
          body: whole.subarray(0, 1500),
          headers: { 'content-type': 'application/octet-stream' },
        })
      ).status,
      (
        await server.ask(path, {
          method: 'PUT',
          body: form([
            ['content', whole.subarray(1000, 2500), 'blob'],
            ['offset', '1000'],
          ]),
          headers: multipart,
        })
      ).status,
    ]
    const { status, body } = await chunks.import(
      repository.id,
      [{ id, content_unit_id: null, name: 'whole', size: '5000', checksum: sha256(whole) }],
      { publish_repository: true, sync_capsule: true },
    )

    assert.deepEqual(statuses, [204, 204, 204, 204, 204])
    assert.equal(status, 202, JSON.stringify(body))
    assert.equal(body.result, 'success')
    assert.deepEqual(body.output.upload_results, [{ type: 'file', name: 'whole' }])
    assert.deepEqual(await served(server, repository, 'whole'), whole)
    for (const gone of [id, id, 'duplicate']) {
      const deleted = await server.ask(`${repositories}/${repository.id}/content_uploads/${gone}`, { method: 'DELETE' })
      assert.equal(deleted.status, 204)
    }
  })

  it('is published with the last of several, when asked for', async () => {
    const repository = await newRepository()
    for (const [name, publishes] of [
      ['a', false],
      ['b', true],
    ] as const) {
      const id = await chunks.begin(repository.id, 1)
      await chunks.send(repository.id, id, 0, Buffer.from(name))
      await chunks.import(repository.id, [{ id, name, size: 1 }], { publish_repository: publishes })
      assert.equal(await served(server, repository, 'a').then(String), publishes ? 'a' : '404')
    }
  })

  it('is imported by a task of its own with async', async () => {
    const repository = await newRepository()
    const id = await chunks.begin(repository.id, 1)
    await chunks.send(repository.id, id, 0, Buffer.from('x'))
    const { status, body } = await chunks.import(
      repository.id,
      [{ id, name: 'x', digest: `sha256:${sha256(Buffer.from('x'))}` }],
      { async: true },
    )
    assert.equal(status, 202)
    assert.equal((await taskEnd(server, body.id)).result, 'success')
    assert.equal(String(await served(server, repository, 'x')), 'x')
  })

  it('is 422 while bytes are missing, for another size, and for other bytes; then it can be set right', async () => {
    const repository = await newRepository()
    const id = await chunks.begin(repository.id, whole.length)
    await chunks.send(repository.id, id, 0, whole.subarray(0, 2000))
    await chunks.send(repository.id, id, 2500, whole.subarray(2500))
    const wanted = { id, name: 'whole', checksum: sha256(whole) }

    const gap = await chunks.import(repository.id, [wanted])
    await chunks.send(repository.id, id, 2000, randomBytes(500))
    const size = await chunks.import(repository.id, [{ ...wanted, size: 4999 }])
    const digest = await chunks.import(repository.id, [wanted])
    const nonsense = await chunks.import(repository.id, [{ ...wanted, checksum: 'sha1:xyz' }])

    for (const { status, body } of [gap, size, digest, nonsense]) {
      assert.equal(status, 422, JSON.stringify(body))
      assert.ok(body.errors.uploads, JSON.stringify(body))
    }
    assert.match(digest.body.displayMessage, /sha256/)
    assert.equal(await served(server, repository, 'whole'), 404)
    await chunks.send(repository.id, id, 2000, whole.subarray(2000, 2500))
    assert.equal((await chunks.import(repository.id, [wanted])).status, 202)
    assert.deepEqual(await served(server, repository, 'whole'), whole)
  })

  it('is 422 for bytes beyond its end, without content or offset; 404 when it was cancelled or belongs elsewhere', async () => {
    const { id } = await newRepository()
    const other = await newRepository()
    const upload = await chunks.begin(id, 10)
    const put = (body: Uint8Array) =>
      server.ask(`${repositories}/${id}/content_uploads/${upload}`, { method: 'PUT', body, headers: multipart })

    assert.equal(await chunks.send(id, upload, 5, randomBytes(6)), 422)
    assert.equal(await chunks.send(id, upload, 0, randomBytes(11)), 422)
    assert.deepEqual(Object.keys((await put(form([['offset', '0']]))).body.errors), ['content'])
    assert.deepEqual(Object.keys((await put(form([['content', 'x']]))).body.errors), ['offset'])
    assert.deepEqual(
      Object.keys(
        (
          await put(
            form([
              ['offset', '-1'],
              ['content', 'x'],
            ]),
          )
        ).body.errors,
      ),
      ['offset'],
    )
    assert.equal(await chunks.send(other.id, upload, 0, randomBytes(1)), 404)
    assert.equal((await chunks.import(other.id, [{ id: upload, name: 'x' }])).status, 422)
    await server.ask(`${repositories}/${id}/content_uploads/${upload}`, { method: 'DELETE' })
    assert.equal(await chunks.send(id, upload, 0, randomBytes(1)), 404)
    assert.equal((await chunks.import(id, [{ id: upload, name: 'x' }])).status, 422)
  })

  it('is all or nothing for several that are imported at once', async () => {
    const repository = await newRepository()
    const [a, b] = [await chunks.begin(repository.id, 1), await chunks.begin(repository.id, 1)]
    await chunks.send(repository.id, a, 0, Buffer.from('a'))
    await chunks.send(repository.id, b, 0, Buffer.from('b'))
    const same = await chunks.import(repository.id, [
      { id: a, name: 'x' },
      { id: b, name: 'x' },
    ])
    assert.equal(same.status, 409)
    const bad = await chunks.import(repository.id, [
      { id: a, name: 'x' },
      { id: b, name: '../y' },
    ])
    assert.equal(bad.status, 422)
    assert.equal(await served(server, repository, 'x'), 404)
  })
})
