import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { createGzip, gzipSync } from 'node:zlib'
import { createFileRepository, fetchPublished, syncToEnd, taskEnd } from '../support/content.ts'
import type { Json } from '../support/json.ts'
import { lacksProgram, lacksRoot } from '../support/programs.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { form, multipart, repositories, served } from '../support/uploads.ts'
import { startUpstream } from '../support/upstream-server.ts'
import { waitUntil } from '../support/wait-until.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server[Symbol.asyncDispose]())

const lacksNamespaces = lacksRoot || lacksProgram('unshare', 'ip')
const manifest = '/PULP_MANIFEST'
const digestOf = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex')
const entry = (path: string, bytes: Uint8Array | string) => `${path},${digestOf(bytes)},${bytes.length}\n`

async function assertNothingLeft(): Promise<void> {
  const folder = join(server.folder, 'data', 'blobs', 'tmp')
  await waitUntil('nothing is half-done', async () => (await readdir(folder)).length === 0)
}

type Answer = (url: string, response: ServerResponse, request: IncomingMessage) => unknown

/** Syncs good content first, then from what `answer` sends; the good content must still be there after the failure. */
async function failingSync(answer: Answer): Promise<{ message: string; requests: readonly IncomingMessage[] }> {
  const good = randomBytes(1000)
  let isBroken = false
  await using upstream = await startUpstream((request, response) => {
    const url = request.url ?? ''
    if (isBroken) answer(url, response, request)
    else response.end(url === manifest ? entry('good', good) : good)
  })
  const repository = await createFileRepository(server, upstream.url)
  assert.equal((await syncToEnd(server, repository.id)).result, 'success')
  isBroken = true

  const task = await syncToEnd(server, repository.id)

  assert.equal(task.result, 'error')
  assert.deepEqual(await served(server, repository, 'good'), good)
  assert.equal(String(await served(server, repository, 'PULP_MANIFEST')), entry('good', good))
  await assertNothingLeft()
  return { message: task.humanized.errors.join('\n'), requests: upstream.requests }
}

const listing =
  (file: Answer, names = ['new']): Answer =>
  (url, response, request) =>
    url === manifest
      ? response.end(names.map((name) => entry(name, `${name} bytes`)).join(''))
      : file(url, response, request)

describe('a sync ends with a clear word, keeps what was served and leaves nothing behind when the upstream', () => {
  for (const [what, answer, message] of [
    [
      'redirects in circles',
      (_: string, response: ServerResponse) => response.writeHead(302, { location: '?' }).end(),
      /PULP_MANIFEST.*10 redirects/,
    ],
    [
      'redirects a file in circles',
      listing((url, response) => response.writeHead(307, { location: `${url}x` }).end()),
      /new.*redirects/,
    ],
    [
      'redirects a file to a file of the machine',
      listing((_, response) => response.writeHead(301, { location: 'file:///etc/passwd' }).end()),
      /redirects to file:/,
    ],
    [
      'sends a compressed file that nobody asked for',
      listing((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('new bytes'))),
      /new.*encoding "gzip" that nobody asked for/,
    ],
    [
      'sends an unknown encoding',
      listing((_, response) => response.writeHead(200, { 'content-encoding': 'x-secret' }).end('new bytes')),
      /encoding "x-secret"/,
    ],
    [
      'answers 429 again and again',
      listing((_, response) => response.writeHead(429, { 'retry-after': '0' }).end()),
      /new.*429 \(Too Many Requests\)/,
    ],
    [
      'answers 503 for its manifest again and again',
      (_: string, response: ServerResponse) => response.writeHead(503, { 'retry-after': '0' }).end(),
      /PULP_MANIFEST.*503/,
    ],
    [
      'sends half of a file again and again',
      listing((_, response) => response.writeHead(200, { 'content-length': 9 }).write('new', () => response.destroy())),
      /new.*3 of 9 bytes/,
    ],
    [
      'sends half of a file without saying how long it is',
      listing((_, response) => response.write('new b', () => response.destroy())),
      /new.*5 of/,
    ],
    [
      'sends half of its manifest',
      (_: string, response: ServerResponse) =>
        response.writeHead(200, { 'content-length': 900 }).write(entry('new', 'x'), () => response.destroy()),
      /PULP_MANIFEST.*of 900 bytes/,
    ],
  ] as readonly (readonly [string, Answer, RegExp])[]) {
    it(what, async () => {
      assert.match((await failingSync(answer)).message, message)
    })
  }

  it('sends a manifest that would inflate to gigabytes', async () => {
    let isOver = false
    const { message } = await failingSync(async (_, response) => {
      response.on('close', () => {
        isOver = true
      })
      const zeros = function* () {
        for (let mebibytes = 0; mebibytes < 4096 && !isOver; mebibytes += 1) yield Buffer.alloc(1024 * 1024)
      }
      response.writeHead(200, { 'content-encoding': 'gzip' })
      await pipeline(Readable.from(zeros()), createGzip(), response).catch(() => {})
    })

    assert.match(message, /PULP_MANIFEST.*encoding "gzip" that nobody asked for/)
  })

  it('lists ten million files', async () => {
    let sent = 0
    const { message } = await failingSync(async (_, response) => {
      const lines = function* () {
        for (; sent < 10_000_000; sent += 1000)
          yield Array.from({ length: 1000 }, (_, index) => `${sent + index},${'ab'.repeat(32)},1\n`).join('')
      }
      await pipeline(Readable.from(lines()), response).catch(() => {})
    })

    assert.match(message, /PULP_MANIFEST.*more than 1000000 files/)
    assert.ok(sent < 2_000_000, String(sent))
  })

  it('lacks a hundred files: the first twenty are named, and the rest is not asked for', async () => {
    const names = Array.from({ length: 100 }, (_, index) => `missing-${index}`)
    const { message, requests } = await failingSync(listing((_, response) => response.writeHead(404).end(), names))

    const named = new Set(message.match(/missing-\d+/g))
    assert.ok(named.size >= 20 && named.size < 40, message)
    assert.ok(requests.length < 50)
  })
})

describe('a sync', () => {
  it('waits as long as the upstream asks for, and then succeeds', async () => {
    let refusals = 2
    await using upstream = await startUpstream(({ url }, response) => {
      refusals -= 1
      if (refusals >= 0) response.writeHead(refusals === 0 ? 503 : 429, { 'retry-after': '1' }).end()
      else response.end(url === manifest ? entry('late', 'bytes') : 'bytes')
    })
    const repository = await createFileRepository(server, upstream.url)

    assert.equal((await syncToEnd(server, repository.id)).result, 'success')
    assert.equal(String(await served(server, repository, 'late')), 'bytes')
  })

  it('does not ask private addresses where they are denied, by whatever name', async () => {
    await using strict = await startTestServer({ BACKHAUL_FETCH_DENY: 'private' })
    await using upstream = await startUpstream((_, response) => response.end('x'))
    for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '0x7f.1']) {
      const repository = await createFileRepository(strict, `http://${host}:${upstream.port}/`)
      const task = await syncToEnd(strict, repository.id)
      assert.match(task.humanized.errors.join(), /private address, which is denied/, host)
    }
    assert.equal(upstream.requests.length, 0)
  })

  it('does not follow a redirect to a private address where they are denied', { skip: lacksNamespaces }, async () => {
    const program = join(import.meta.dirname, '../support/private-redirect-process.ts')
    const network = 'ip link set lo up && ip address add 8.8.4.4/32 dev lo && exec "$@"'
    const run = promisify(execFile)
    const { stdout } = await run('unshare', ['-n', 'sh', '-c', network, 'sh', process.execPath, program, '8.8.4.4'], {
      // a database of this network cannot be reached from that one
      env: { ...process.env, BACKHAUL_DATABASE_URL: undefined },
    })

    const { messages, asked } = JSON.parse(stdout)
    assert.match(messages[0], /PULP_MANIFEST: it leads to a private address, which is denied/)
    assert.match(messages[1], /moved: it leads to a private address, which is denied/)
    assert.equal(asked, 0)
  })

  for (const policy of ['immediate', 'on_demand']) {
    it(`sends no credentials to another origin that it is redirected to (${policy})`, async () => {
      const bytes = randomBytes(100)
      await using other = await startUpstream((_, response) => response.end(bytes))
      await using upstream = await startUpstream(({ url }, response) => {
        if (url === manifest) response.end(entry('moved', bytes))
        else response.writeHead(302, { location: `${other.url}/moved` }).end()
      })
      const repository = await createFileRepository(server, upstream.url, {
        upstream_username: 'me',
        upstream_password: 's3cret',
        download_policy: policy,
      })
      const task = await syncToEnd(server, repository.id)

      assert.equal(task.result, 'success', task.humanized.errors.join())
      assert.deepEqual(await served(server, repository, 'moved'), bytes)
      assert.ok(upstream.requests.every(({ headers }) => headers.authorization !== undefined))
      assert.equal(other.requests.length, 1)
      for (const { headers } of other.requests) {
        assert.equal(headers.authorization, undefined)
        assert.doesNotMatch(JSON.stringify(headers), /s3cret|bWU6/)
      }
    })
  }
})

describe('two syncs, an upload and a deletion of one repository at once', () => {
  it('give clear answers only, and the disk is given back', async () => {
    const blobs = join(server.folder, 'data', 'blobs')
    const files = Array.from({ length: 10 }, () => randomBytes(1000))
    await using upstream = await startUpstream(({ url = '' }, response) =>
      response.end(
        url === manifest
          ? files.map((bytes, index) => entry(`f${index}`, bytes)).join('')
          : files[Number(url.slice(2))],
      ),
    )
    const own = new Set(files.map(digestOf))
    for (let round = 0; round < 25; round += 1) {
      const repository = await createFileRepository(server, upstream.url)
      const path = `${repositories}/${repository.id}`
      const uploaded = randomBytes(1000)
      own.add(digestOf(uploaded))
      const body = form([['content', uploaded, 'uploaded']])
      const works = [
        () => server.ask(`${path}/sync`, { method: 'POST' }),
        () => server.ask(`${path}/sync`, { method: 'POST' }),
        () => server.ask(`${path}/upload_content`, { method: 'POST', body, headers: multipart }),
        () => server.ask(path, { method: 'DELETE' }),
        () =>
          fetchPublished(server, repository, 'f1').then(async (answer) => ({
            status: answer.status,
            body: (await answer.text()) as Json,
          })),
      ]
      const turn = round % works.length
      const answers = await Promise.all([...works.slice(turn), ...works.slice(0, turn)].map((work) => work()))

      for (const { status, body: answer } of answers)
        assert.ok([200, 201, 202, 204, 404, 409].includes(status), `${status} ${JSON.stringify(answer)}`)
      for (const { body: answer } of answers) if (typeof answer?.id === 'string') await taskEnd(server, answer.id)
      assert.equal((await server.ask(path)).status, 404)
      assert.equal((await fetchPublished(server, repository, 'f1')).status, 404)
    }
    const last = await createFileRepository(server, upstream.url)
    await server.ask(`${repositories}/${last.id}`, { method: 'DELETE' })
    const { body } = await server.ask('/foreman_tasks/api/tasks?per_page=1000&full_result=true')
    for (const { id } of body.results) await taskEnd(server, id)

    assert.deepEqual(
      (await readdir(blobs, { recursive: true })).filter((name) => own.has(name.slice(3))),
      [],
    )
    await assertNothingLeft()
  })
})
