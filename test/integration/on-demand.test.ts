import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { get as httpGet, type IncomingMessage, type RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createFileRepository, fetchPublished, syncToEnd } from '../support/content.ts'
import { FileRepository } from '../support/file-repository.ts'
import type { Json } from '../support/json.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { startUpstream, type UpstreamServer } from '../support/upstream-server.ts'
import { waitUntil } from '../support/wait-until.ts'

const bigBytes = 6_000_000

type Answer = (request: IncomingMessage, response: Parameters<RequestListener>[1], content: Buffer) => void

describe('files on demand', () => {
  let folder: string
  let files: FileRepository
  let server: TestServer
  let upstream: UpstreamServer
  /** How the upstream answers for a file; the whole of it when nothing is said. */
  const answers = new Map<string, Answer>()

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'backhaul-on-demand-'))
    files = new FileRepository(folder)
    for (const name of ['a.bin', 'b.bin', 'c.bin', 'shared.bin']) await files.add(name)
    await files.add('empty', '')
    for (const name of [
      'big.bin',
      'slow.bin',
      'wrong.bin',
      'left.bin',
      'range.bin',
      'cut.bin',
      'same.bin',
      'other.bin',
      'stopped.bin',
    ])
      await files.add(name, randomBytes(bigBytes))
    for (const name of ['gone.bin', 'small-wrong.bin']) await files.add(name)
    await files.writeManifest()
    upstream = await startUpstream(async (request, response) => {
      const name = decodeURIComponent((request.url ?? '').slice(1))
      const content = await files.read(name).catch(() => undefined)
      const answer = answers.get(name)
      if (content === undefined) response.writeHead(404).end()
      else if (answer !== undefined) answer(request, response, content)
      else response.writeHead(200, { 'content-length': content.length }).end(content)
    })
    server = await startTestServer()
  })
  after(async () => {
    await server[Symbol.asyncDispose]()
    await upstream[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  })

  const requestsFor = (name: string) => upstream.requests.filter(({ url }) => url === `/${name}`).length

  async function createSynced(attributes: object = {}): Promise<Json> {
    const repository = await createFileRepository(server, `${upstream.url}/`, {
      download_policy: 'on_demand',
      ...attributes,
    })
    const task = await syncToEnd(server, repository.id)
    assert.equal(task.result, 'success', JSON.stringify(task.humanized))
    return repository
  }

  const bytesOf = async (repository: Json, name: string) =>
    Buffer.from(await (await fetchPublished(server, repository, name)).arrayBuffer())

  it('are listed, counted and described, and not fetched, by a sync', async () => {
    const repository = await createSynced()

    assert.deepEqual(new Set(upstream.requests.map(({ url }) => url)), new Set(['/PULP_MANIFEST']))
    const shown = await server.ask(`/content/api/repositories/${repository.id}`)
    assert.equal(shown.body.content_counts.file, files.names.length)
    const head = await fetchPublished(server, repository, 'big.bin', { method: 'HEAD' })
    assert.equal(head.headers.get('content-length'), String(bigBytes))
    assert.equal(requestsFor('big.bin'), 0)
    const etag = head.headers.get('etag') ?? ''
    const known = await fetchPublished(server, repository, 'big.bin', { headers: { 'if-none-match': etag } })
    assert.equal(known.status, 304)
    assert.match(await (await fetchPublished(server, repository, '')).text(), /big\.bin/)
  })

  it('come whole when they are asked for, and once only', async () => {
    const repository = await createSynced()

    for (const name of ['a.bin', 'big.bin', 'empty']) {
      for (let times = 0; times < 3; times += 1)
        assert.deepEqual(await bytesOf(repository, name), await files.read(name), name)
      assert.equal(requestsFor(name), 1, name)
    }
  })

  it('come to everybody by one fetch, also to those who ask while it goes on', async () => {
    const repository = await createSynced()
    const { promise: go, resolve } = Promise.withResolvers<void>()
    answers.set('slow.bin', async (_, response, content) => {
      response.writeHead(200, { 'content-length': content.length }).write(content.subarray(0, 3_000_000))
      await go
      response.end(content.subarray(3_000_000))
    })
    const url = `${server.content}/content/${repository.relative_path}/slow.bin`
    const early = await read(url, (bytes) => bytes >= 2_000_000)
    const others = Array.from({ length: 5 }, () => bytesOf(repository, 'slow.bin'))
    await waitUntil('the upstream is asked', () => requestsFor('slow.bin') === 1)
    resolve()

    const expected = await files.read('slow.bin')
    assert.deepEqual(await early.rest(), expected)
    for (const bytes of await Promise.all(others)) assert.deepEqual(bytes, expected)
    assert.equal(requestsFor('slow.bin'), 1)
  })

  it('that are the wrong ones are never completed to a client, big or small', async () => {
    const repository = await createSynced()
    const lie: Answer = (_, response, content) => {
      const wrong = Buffer.from(content)
      wrong[wrong.length - 1] = (wrong.at(-1) as number) ^ 1
      response.writeHead(200, { 'content-length': wrong.length }).end(wrong)
    }
    answers.set('wrong.bin', lie)
    answers.set('small-wrong.bin', lie)

    await assert.rejects(bytesOf(repository, 'wrong.bin'))
    const small = await fetchPublished(server, repository, 'small-wrong.bin')
    assert.equal(small.status, 502)
    assert.equal(small.headers.get('etag'), null)
    assert.match(await small.text(), /small-wrong\.bin.*sha256/)
    // as soon as the upstream has the right ones again, so have we
    answers.clear()
    for (const name of ['wrong.bin', 'small-wrong.bin'])
      await waitUntil('the right bytes', async () => (await bytesOf(repository, name)).equals(await files.read(name)))
  })

  it('that the upstream has no more are not found, and the answer says why', async () => {
    const repository = await createSynced()
    answers.set('gone.bin', (_, response) => response.writeHead(410).end())

    const answer = await fetchPublished(server, repository, 'gone.bin')

    assert.equal(answer.status, 404)
    assert.match(await answer.text(), /its upstream has it no more/)
  })

  it('are fetched to their end though whoever asked went away', async () => {
    const repository = await createSynced()
    const url = `${server.content}/content/${repository.relative_path}/left.bin`
    const reader = await read(url, (bytes) => bytes > 0)
    reader.leave()

    const range = await fetchPublished(server, repository, 'left.bin', { headers: { range: 'bytes=5999990-' } })
    assert.equal(range.status, 206)
    assert.deepEqual(Buffer.from(await range.arrayBuffer()), (await files.read('left.bin')).subarray(5_999_990))
    assert.equal(requestsFor('left.bin'), 1)
  })

  it('give a range of themselves when all of them is there and right', async () => {
    const repository = await createSynced()

    const range = await fetchPublished(server, repository, 'range.bin', { headers: { range: 'bytes=10-19' } })

    assert.equal(range.headers.get('content-range'), `bytes 10-19/${bigBytes}`)
    assert.deepEqual(Buffer.from(await range.arrayBuffer()), (await files.read('range.bin')).subarray(10, 20))
  })

  it('come whole from an upstream that breaks off again and again but can go on', async () => {
    const repository = await createSynced()
    answers.set('cut.bin', (request, response, content) => {
      const start = Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0)
      response.writeHead(start === 0 ? 200 : 206, {
        'content-length': content.length - start,
        'content-range': `bytes ${start}-${content.length - 1}/${content.length}`,
        etag: '"cut"',
      })
      response.write(content.subarray(start, start + 2_000_000), () => {
        if (start + 2_000_000 >= content.length) response.end()
        else response.destroy()
      })
    })

    assert.deepEqual(await bytesOf(repository, 'cut.bin'), await files.read('cut.bin'))
    assert.ok(requestsFor('cut.bin') >= 3)
  })

  it('go on where they were when they must be fetched anew, unless they begin with other bytes', async () => {
    const repository = await createSynced()
    const readBroken = async (name: string, change: (content: Buffer) => Buffer) => {
      answers.set(name, (_, response, content) => {
        answers.delete(name)
        response.writeHead(200, { 'content-length': content.length })
        response.write(change(content).subarray(0, 40_000), () => response.destroy())
      })
      return await bytesOf(repository, name)
    }

    assert.deepEqual(await readBroken('same.bin', (content) => content), await files.read('same.bin'))
    await assert.rejects(readBroken('other.bin', (content) => Buffer.from(content.map((byte) => byte ^ 1))))
    assert.deepEqual(await bytesOf(repository, 'other.bin'), await files.read('other.bin'))
    for (const name of ['same.bin', 'other.bin']) assert.equal(requestsFor(name), 2, name)
  })

  it('are not fetched when another repository has brought them', async () => {
    const first = await createSynced()
    const second = await createSynced()
    await bytesOf(first, 'shared.bin')

    assert.deepEqual(await bytesOf(second, 'shared.bin'), await files.read('shared.bin'))
    assert.equal(requestsFor('shared.bin'), 1)
  })

  it('are sent credentials of their repository, and their upstream is asked with at most so many requests at once', async () => {
    let present = 0
    let most = 0
    for (const name of ['b.bin', 'c.bin'])
      answers.set(name, async (request, response, content) => {
        assert.equal(request.headers.authorization, `Basic ${Buffer.from('user:secret').toString('base64')}`)
        present += 1
        most = Math.max(most, present)
        await new Promise((resolve) => setImmediate(resolve))
        present -= 1
        response.end(content)
      })
    const login = { upstream_username: 'user', upstream_password: 'secret' }
    const repository = await createSynced({ ...login, download_concurrency: 1 })

    await Promise.all(['b.bin', 'c.bin'].map((name) => bytesOf(repository, name)))
    assert.equal(most, 1)
  })

  it('are all fetched by the next sync when the policy becomes immediate, though the upstream did not change', async () => {
    const repository = await createSynced()
    answers.clear()
    const changed = await server.ask(`/content/api/repositories/${repository.id}`, {
      method: 'PUT',
      body: { download_policy: 'immediate' },
    })
    assert.equal(changed.body.download_policy, 'immediate')

    assert.equal((await syncToEnd(server, repository.id)).result, 'success')
    const before = upstream.requests.length
    for (const name of files.names) assert.deepEqual(await bytesOf(repository, name), await files.read(name))
    assert.equal(upstream.requests.length, before)
  })

  it('leave nothing behind when the server stops while one comes', async () => {
    await using other = await startTestServer()
    answers.set('stopped.bin', (_, response, content) => response.writeHead(200).write(content.subarray(0, 3_000_000)))
    const repository = await createFileRepository(other, `${upstream.url}/`, { download_policy: 'on_demand' })
    await syncToEnd(other, repository.id)
    const reader = await read(`${other.content}/content/${repository.relative_path}/stopped.bin`, (bytes) => bytes > 0)
    const ended = assert.rejects(reader.rest())
    await other.app[Symbol.asyncDispose]()

    await ended
    const left = await readdir(join(other.folder, 'data', 'blobs', 'tmp'))
    assert.deepEqual(left, [])
  })
})

interface Reader {
  /** All bytes of the answer. */
  rest(): Promise<Buffer>
  leave(): void
}

/** Begins to read an answer and comes back as soon as enough of it is there. */
async function read(url: string, isEnough: (bytes: number) => boolean): Promise<Reader> {
  const request = httpGet(url)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const pieces: Buffer[] = []
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>()
  ended.catch(() => undefined)
  response.on('data', (piece: Buffer) => pieces.push(piece))
  response.once('end', resolve)
  response.once('error', reject)
  await waitUntil('enough bytes', () => isEnough(pieces.reduce((sum, { length }) => sum + length, 0)))
  return {
    rest: async () => {
      await ended
      return Buffer.concat(pieces)
    },
    leave: () => request.destroy(),
  }
}
