import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { messageIn } from '../support/error-answers.ts'
import { createLab, lacksVpcs, post, startNodes } from '../support/lab.ts'
import { askRaw } from '../support/raw-http.ts'
import { adminPassword, startTestServer, type TestServer } from '../support/test-server.ts'
import { ping } from '../support/vpcs-console.ts'
import { waitUntil } from '../support/wait-until.ts'

let server: TestServer
const as = 'plain:plain password'
const authorization = `Basic ${Buffer.from(`admin:${adminPassword}`).toString('base64')}`
before(async () => {
  server = await startTestServer()
  await server.ask('/api/users', { method: 'POST', body: { login: 'plain', password: 'plain password' } })
})
after(() => server[Symbol.asyncDispose]())

const folderOf = (base: string) => join(server.folder, 'data', 'projects', base.split('/').at(-1) as string)
const write = (path: string, body: string | Uint8Array = 'text', user?: string) =>
  server.ask(path, { method: 'POST', body, ...(user === undefined ? {} : { as: user }) })

async function read(path: string, method = 'GET') {
  const answer = await fetch(new URL(path, server.api), { method, headers: { authorization } })
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) }
}

describe('a file', () => {
  it('is read as it was written, byte by byte, and replaced whole', async () => {
    const { base } = await createLab(server)
    const bytes = randomBytes(3_000_000)
    const path = `${base}/files/images/deep/%C3%A4%20b.bin`

    const written = await write(path, bytes)

    assert.equal(written.status, 201)
    const found = await read(path)
    assert.equal(found.status, 200)
    assert.deepEqual(found.bytes, bytes)
    assert.equal(found.headers.get('content-length'), '3000000')
    assert.equal(found.headers.get('content-type'), 'application/octet-stream')
    assert.deepEqual(await readFile(join(folderOf(base), 'images/deep/ä b.bin')), bytes)
    assert.equal((await write(path, '')).status, 201)
    assert.equal((await read(path)).bytes.length, 0)
    assert.equal((await write(path, '{"not": "parsed"')).status, 201)
    assert.equal((await read(path)).bytes.toString(), '{"not": "parsed"')
    const head = await read(path, 'HEAD')
    assert.deepEqual([head.status, head.headers.get('content-length'), head.bytes.length], [200, '16', 0])
    assert.deepEqual(await readdir(join(folderOf(base), 'images/deep')), ['ä b.bin'])
  })

  it('of a node is below its folder, and the node’s own', { skip: lacksVpcs }, async () => {
    const { base, nodes } = await createLab(server)
    await post(server, `${base}/nodes/${nodes[0].node_id}/start`)
    const written = await write(`${base}/nodes/${nodes[0].node_id}/files/sub/notes.txt`, 'notes')

    assert.equal(written.status, 201)
    const path = join(nodes[0].node_directory, 'sub', 'notes.txt')
    assert.equal(await readFile(path, 'utf8'), 'notes')
    const owner = (await stat(nodes[0].node_directory)).uid
    assert.deepEqual([(await stat(path)).uid, (await stat(join(path, '..'))).uid], [owner, owner])
    const inProject = `${base}/files/project-files/vpcs/${nodes[0].node_id}/sub/notes.txt`
    assert.equal((await read(inProject)).bytes.toString(), 'notes')
    assert.equal((await read(`${base}/nodes/${nodes[0].node_id}/files/startup.vpc`)).status, 200)
  })

  it('may be one that a capture writes', { skip: lacksVpcs }, async () => {
    const lab = await createLab(server)
    await startNodes(server, lab)
    await post(server, `${lab.linkPath}/start_capture`)
    await ping(lab.nodes[0].console, '10.0.0.2')
    const { capture_file_name: name } = await post(server, `${lab.linkPath}/stop_capture`)

    const found = await read(`${lab.base}/files/project-files/captures/${name}`)

    assert.equal(found.bytes.readUInt32LE(0), 0xa1b2c3d4)
    assert.equal(found.headers.get('content-length'), String(found.bytes.length))
  })

  it('is read from a closed project too, and not written there', async () => {
    const { base } = await createLab(server)
    await write(`${base}/files/a.txt`)
    await post(server, `${base}/close`)

    assert.equal((await read(`${base}/files/a.txt`)).bytes.toString(), 'text')
    messageIn(await write(`${base}/files/a.txt`), '/v2', 403)
  })
})

describe('a path', () => {
  const hostile = [
    ...['../secret', 'a/../../secret', '..%2fsecret', '%2e%2e/secret', 'a%2f..%2f..%2fsecret', './a', 'a/./b'],
    ...['/etc/passwd', '%2fetc%2fpasswd', 'a//b', 'a%00b', `${'x'.repeat(256)}`, '.unfinished-x', '..'],
  ]
  for (const path of hostile) {
    it(`like ${path.slice(0, 30)} is refused, whether it is read or written`, async () => {
      const { base, nodes } = await createLab(server)
      await writeFile(join(server.folder, 'data', 'projects', 'secret'), 'secret')
      for (const folder of [`${base}/files`, `${base}/nodes/${nodes[0].node_id}/files`]) {
        for (const method of ['GET', 'POST']) {
          const text = await askRaw(
            server.api,
            `${method} ${folder}/${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: ${authorization}\r\nContent-Length: 1\r\n\r\nx`,
          )
          assert.match(text, /^HTTP\/1\.1 400 /, text)
          assert.match(text, /path/)
        }
      }
      assert.deepEqual(await readdir(folderOf(base)).catch(() => []), [])
      assert.equal(await readFile(join(server.folder, 'data', 'projects', 'secret'), 'utf8'), 'secret')
    })
  }

  it('follows no link that a node left, and none is written through', async () => {
    const { base, nodes } = await createLab(server)
    const folder = nodes[0].node_directory
    const secret = join(server.folder, 'secret')
    await mkdir(folder, { recursive: true })
    await mkdir(join(server.folder, 'elsewhere'), { recursive: true })
    await writeFile(secret, 'secret')
    await symlink(secret, join(folder, 'file'))
    await symlink(join(server.folder, 'elsewhere'), join(folder, 'folder'))
    await symlink(folder, join(folder, 'itself'))
    execFileSync('/usr/bin/mkfifo', [join(folder, 'pipe')])
    const files = `${base}/nodes/${nodes[0].node_id}/files`

    for (const path of ['file', 'folder/x', 'itself/file', 'pipe', 'nothing', 'folder'])
      messageIn(await server.ask(`${files}/${path}`), '/v2', 404)
    messageIn(await write(`${files}/folder/x`), '/v2', 404)
    messageIn(await write(`${files}/file/x`), '/v2', 404)
    assert.equal((await write(`${files}/file`, 'replaced')).status, 201)

    assert.equal(await readFile(secret, 'utf8'), 'secret')
    assert.equal(await readFile(join(folder, 'file'), 'utf8'), 'replaced')
    assert.deepEqual(await readdir(join(server.folder, 'elsewhere')), [])
  })

  it('to a folder is no file, and is not replaced by one', async () => {
    const { base } = await createLab(server)
    await write(`${base}/files/a/b`)

    messageIn(await server.ask(`${base}/files/a`), '/v2', 404)
    messageIn(await write(`${base}/files/a`), '/v2', 409)
    messageIn(await write(`${base}/files/a/b/c`), '/v2', 404)
    assert.deepEqual(await readdir(folderOf(base)), ['a'])
  })
})

describe('who', () => {
  it('does not see the project finds no file', async () => {
    const { base, nodes } = await createLab(server)
    await write(`${base}/files/a.txt`)

    for (const path of [`${base}/files/a.txt`, `${base}/nodes/${nodes[0].node_id}/files/a.txt`]) {
      messageIn(await server.ask(path, { as }), '/v2', 404)
      messageIn(await write(path, 'x', as), '/v2', 404)
      assert.equal((await server.ask(path, { as: null })).status, 401)
    }
    messageIn(await write(`${base}/nodes/${randomUUID()}/files/a`), '/v2', 404)
    messageIn(await write(`/v2/projects/${randomUUID()}/files/a`), '/v2', 404)
    assert.deepEqual(await readdir(folderOf(base)), ['a.txt'])
  })

  it('may not use a host can put no files before it, and nobody changes snapshots', async () => {
    const { base } = await createLab(server)
    const host = await post(server, `${base}/nodes`, { name: 'H', node_type: 'host', compute_id: 'local' })
    await server.ask(`${base}/members/2`, { method: 'PUT' })

    messageIn(await write(`${base}/nodes/${host.node_id}/files/x`, 'x', as), '/v2', 403)
    messageIn(await write(`${base}/files/project-files/host/${host.node_id}/x`, 'x', as), '/v2', 403)
    assert.equal((await write(`${base}/files/x`, 'x', as)).status, 201)
    messageIn(await write(`${base}/files/snapshots/x`), '/v2', 403)
  })
})

describe('where the server has folders of its own', () => {
  it('nobody puts a file', async () => {
    const { base, nodes } = await createLab(server)
    const of = `project-files/vpcs/${nodes[0].node_id}`
    const inTheWay = [
      ...['project-files', 'project-files/captures', 'project-files/vpcs', 'project-files/host', of],
      ...['project-files/vpcs/x', `project-files/vpcs/${randomUUID()}`, `project-files/vpcs/${randomUUID()}/x`],
      `project-files/host/${nodes[0].node_id}/x`,
    ]
    for (const path of inTheWay) assert.match(messageIn(await write(`${base}/files/${path}`), '/v2', 409), /of its own/)
    messageIn(await write(`${base}/files/snapshots`), '/v2', 403)
    for (const path of [`${of}/x`, 'project-files/images/x.png', 'project-files/captures/x.pcap', 'vpcs'])
      assert.equal((await write(`${base}/files/${path}`)).status, 201, path)
  })

  it('a node that finds one there all the same says so, and starts when it is gone', { skip: lacksVpcs }, async () => {
    const { base, nodes } = await createLab(server)
    const start = () => server.ask(`${base}/nodes/${nodes[0].node_id}/start`, { method: 'POST', body: {} })
    await write(`${base}/nodes/${nodes[0].node_id}/files/startup.vpc/x`)
    const folder = join(folderOf(base), 'project-files', 'vpcs')

    assert.match(messageIn(await start(), '/v2', 409), /^Cannot start PC1: .*startup\.vpc/)
    await rm(folder, { recursive: true })
    await writeFile(folder, 'a file')
    assert.match(messageIn(await start(), '/v2', 409), /^Cannot start PC1: .*project-files\/vpcs/)
    await rm(folder)
    assert.equal((await start()).status, 200)
  })
})

describe('an upload', () => {
  it('larger than any that is taken is refused before it is sent', async () => {
    const { base } = await createLab(server)
    const text = await askRaw(
      server.api,
      `POST ${base}/files/big HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: ${authorization}\r\nContent-Length: ${1024 ** 3 + 1}\r\n\r\n`,
    )

    assert.match(text, /^HTTP\/1\.1 413 /)
    assert.deepEqual(await readdir(folderOf(base)), [])
  })

  it('that ends too early leaves what was there', async () => {
    const { base } = await createLab(server)
    await write(`${base}/files/a`, 'as it was')
    const upload = request(new URL(`${base}/files/a`, server.api), {
      method: 'POST',
      headers: { authorization, 'content-length': 1000 },
    })
    upload.on('error', () => undefined)
    upload.write('half')
    const names = () => readdir(folderOf(base))
    await waitUntil('some of it is there', async () => (await names()).length === 2)
    upload.destroy()

    await waitUntil('nothing of it is left', async () => (await names()).length === 1)
    assert.equal((await read(`${base}/files/a`)).bytes.toString(), 'as it was')
  })

  it('takes a body in pieces whose length nobody told', async () => {
    const { base } = await createLab(server)
    const body = new ReadableStream({
      start(controller) {
        for (const piece of ['one ', 'two ', 'three']) controller.enqueue(new TextEncoder().encode(piece))
        controller.close()
      },
    })
    const answer = await fetch(new URL(`${base}/files/a`, server.api), {
      method: 'POST',
      headers: { authorization },
      body,
      duplex: 'half',
    })

    assert.equal(answer.status, 201)
    assert.equal((await read(`${base}/files/a`)).bytes.toString(), 'one two three')
  })

  it('to an address that is asked in another way is 405', async () => {
    const { base } = await createLab(server)
    const answer = await server.ask(`${base}/files/a`, { method: 'PUT', body: {} })

    messageIn(answer, '/v2', 405)
    assert.equal(answer.headers.get('allow'), 'GET, POST, HEAD')
  })
})
