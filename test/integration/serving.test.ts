import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { request as ask } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { createFileRepository, fetchPublished, syncToEnd } from '../support/content.ts'
import { FileRepository } from '../support/file-repository.ts'
import type { Json } from '../support/json.ts'
import { lacksNginx, type Nginx, startNginx } from '../support/nginx.ts'
import { lacksProgram } from '../support/programs.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { waitUntil } from '../support/wait-until.ts'

const bigBytes = 5_000_001

describe('published files', { skip: lacksNginx }, () => {
  let folder: string
  let upstream: FileRepository
  let nginx: Nginx
  let server: TestServer
  let repository: Json
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'backhaul-serving-'))
    upstream = new FileRepository(folder)
    await upstream.add('small.bin', 'first')
    await upstream.add('big.bin', randomBytes(bigBytes))
    await upstream.writeManifest()
    nginx = await startNginx(folder)
    server = await startTestServer()
    repository = await createFileRepository(server, nginx.url)
    await syncToEnd(server, repository.id)
  })
  after(async () => {
    await server[Symbol.asyncDispose]()
    await nginx[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  })
  const get = (path: string, init: RequestInit = {}) => fetchPublished(server, repository, path, init)

  it('are whole, with the same headers, however often they are asked for', async () => {
    const first = await get('small.bin')
    const second = await get('small.bin')

    assert.equal(await first.text(), 'first')
    assert.equal(await second.text(), 'first')
    for (const name of ['etag', 'last-modified', 'content-type', 'content-length', 'accept-ranges', 'cache-control'])
      assert.equal(second.headers.get(name), first.headers.get(name), name)
    const etag = first.headers.get('etag') ?? ''
    assert.equal((await get('small.bin', { headers: { 'if-none-match': etag } })).status, 304)
    assert.equal((await get('small.bin', { headers: { 'if-none-match': `W/"x", ${etag}` } })).status, 304)
  })

  it('tell their length to HEAD', async () => {
    for (const [path, length] of [
      ['small.bin', 5],
      ['big.bin', bigBytes],
    ] as const) {
      await (await get(path)).arrayBuffer()
      const { status, headers } = await get(path, { method: 'HEAD' })
      assert.deepEqual([status, headers.get('content-length')], [200, String(length)])
    }
  })

  it('are new as soon as they are published anew', async () => {
    await (await get('small.bin')).text()
    await upstream.add('small.bin', 'second')
    await upstream.writeManifest()
    await syncToEnd(server, repository.id)

    await waitUntil('the new file', async () => (await (await get('small.bin')).text()) === 'second')
  })

  it('come byte for byte when they are big: whole, in parts, one after the other on one connection', async () => {
    const expected = await readFile(join(folder, 'big.bin'))
    for (let round = 0; round < 5; round += 1) {
      const body = Buffer.from(await (await get('big.bin')).arrayBuffer())
      assert.ok(body.equals(expected))
    }
    const part = await get('big.bin', { headers: { range: 'bytes=1000000-3999999' } })
    assert.equal(part.status, 206)
    assert.ok(Buffer.from(await part.arrayBuffer()).equals(expected.subarray(1_000_000, 4_000_000)))
    const together = await Promise.all(Array.from({ length: 20 }, async () => (await get('big.bin')).arrayBuffer()))
    for (const body of together) assert.equal(sha256(Buffer.from(body)), sha256(expected))
  })

  it('are taken up again where curl left off', { skip: lacksProgram('curl') }, async () => {
    const url = `${server.content}/content/${repository.relative_path}/big.bin`
    const path = join(server.folder, 'resumed.bin')
    const curl = (...args: string[]) => promisify(execFile)('curl', ['-s', ...args, '-o', path, url])
    await curl('-r', '0-999999')
    await curl('-C', '-')
    assert.equal(sha256(await readFile(path)), sha256(await readFile(join(folder, 'big.bin'))))
  })

  it('go on being served when readers leave in the middle', async () => {
    const url = `${server.content}/content/${repository.relative_path}/big.bin`
    for (let round = 0; round < 20; round += 1) {
      await new Promise<void>((resolve, reject) => {
        const request = ask(url, (response) => {
          response.once('data', () => {
            request.destroy()
            resolve()
          })
        })
        request.on('error', reject).end()
      })
    }
    assert.equal((await (await get('big.bin')).arrayBuffer()).byteLength, bigBytes)
  })
})

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
