import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createFileRepository, fetchPublished, syncToEnd, taskEnd } from '../support/content.ts'
import { FileRepository } from '../support/file-repository.ts'
import { lacksNginx, type Nginx, startNginx } from '../support/nginx.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { waitUntil } from '../support/wait-until.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server[Symbol.asyncDispose]())

describe('a sync from nginx', { skip: lacksNginx }, () => {
  let folder: string
  let upstream: FileRepository
  let nginx: Nginx

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'backhaul-upstream-'))
    upstream = new FileRepository(folder)
    await upstream.add('a.bin')
    await upstream.add('sub/folder/b.txt', 'hello')
    await upstream.add('empty', '')
    await upstream.add('with blank & ünïcode.iso', Buffer.alloc(3_000_000, 7))
    await upstream.writeManifest()
    nginx = await startNginx(folder)
  })
  after(async () => {
    await nginx[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  })

  it('serves every file byte for byte, and the manifest', async () => {
    const repository = await createFileRepository(server, nginx.url)

    const task = await syncToEnd(server, repository.id)

    assert.equal(task.result, 'success', JSON.stringify(task.humanized))
    assert.equal(task.output.added, 4)
    for (const name of upstream.names) {
      const response = await fetchPublished(server, repository, name.split('/').map(encodeURIComponent).join('/'))
      assert.deepEqual(Buffer.from(await response.arrayBuffer()), await upstream.read(name), name)
    }
    const manifest = await (await fetchPublished(server, repository, 'PULP_MANIFEST')).text()
    const lines = (text: string) => text.trim().split('\n').sort()
    assert.deepEqual(lines(manifest), lines((await upstream.read('PULP_MANIFEST')).toString()))
    const shown = await server.ask(`/content/api/repositories/${repository.id}`)
    assert.equal(shown.body.content_counts.file, 4)
    assert.equal(shown.body.last_sync.result, 'success')
  })

  it('makes one request when nothing changed, and changes nothing', async () => {
    const repository = await createFileRepository(server, nginx.url)
    await syncToEnd(server, repository.id)
    const before = (await nginx.requests()).length

    const task = await syncToEnd(server, repository.id)

    assert.deepEqual((await nginx.requests()).slice(before), ['GET /PULP_MANIFEST 304'])
    assert.deepEqual(task.output, { contents_changed: false })
  })

  it('takes over what was added, replaced and removed, and names what went', async () => {
    const repository = await createFileRepository(server, nginx.url)
    await syncToEnd(server, repository.id)
    await upstream.add('new.bin')
    await upstream.add('a.bin', 'replaced')
    await upstream.remove('empty')
    await upstream.writeManifest()

    const task = await syncToEnd(server, repository.id)

    assert.equal(task.result, 'success')
    assert.equal(task.output.fetched_files, 2)
    assert.deepEqual(task.output.removed_names, ['a.bin', 'empty'])
    assert.equal(await (await fetchPublished(server, repository, 'a.bin')).text(), 'replaced')
    assert.equal((await fetchPublished(server, repository, 'new.bin')).status, 200)
    assert.equal((await fetchPublished(server, repository, 'empty')).status, 404)
  })

  it('keeps what the upstream no longer has when it does not mirror', async () => {
    const repository = await createFileRepository(server, nginx.url, { mirror_on_sync: false })
    await upstream.add('short-lived')
    await upstream.writeManifest()
    await syncToEnd(server, repository.id)
    await upstream.remove('short-lived')
    await upstream.writeManifest()

    const task = await syncToEnd(server, repository.id)

    assert.equal(task.result, 'success')
    assert.equal((await fetchPublished(server, repository, 'short-lived')).status, 200)
  })

  it('can be synced from by another repository of the same server, without a byte from the first upstream', async () => {
    const first = await createFileRepository(server, nginx.url)
    await syncToEnd(server, first.id)
    const before = (await nginx.requests()).length
    const second = await createFileRepository(server, `${server.content}/content/${first.relative_path}/`)

    const task = await syncToEnd(server, second.id)

    assert.equal(task.result, 'success', JSON.stringify(task.humanized.errors))
    assert.equal((await nginx.requests()).length, before)
    assert.equal(
      await (await fetchPublished(server, second, 'PULP_MANIFEST')).text(),
      await (await fetchPublished(server, first, 'PULP_MANIFEST')).text(),
    )
  })

  it('queues a second sync of the same repository behind the first', async () => {
    const repository = await createFileRepository(server, nginx.url)
    const starts = await Promise.all(
      [1, 2, 3].map(() => server.ask(`/content/api/repositories/${repository.id}/sync`, { method: 'POST' })),
    )

    const tasks = await Promise.all(starts.map(({ body }) => taskEnd(server, body.id)))

    assert.deepEqual(
      tasks.map(({ result }) => result),
      ['success', 'success', 'success'],
    )
  })
})

describe('a sync from an upstream that cannot be trusted', () => {
  const good = Buffer.from('good bytes')
  const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
  const entry = (path: string, bytes: Uint8Array = good) => `${path},${digestOf(bytes)},${bytes.length}\n`

  async function withUpstream(answer: RequestListener, use: (url: string) => Promise<void>): Promise<void> {
    const rude: Server = createServer(answer).listen(0, '127.0.0.1')
    await once(rude, 'listening')
    try {
      await use(`http://127.0.0.1:${(rude.address() as AddressInfo).port}/`)
    } finally {
      rude.closeAllConnections()
      rude.close()
    }
  }

  for (const [what, manifest, answer, message] of [
    ['lies about a digest', entry('ok') + entry('bad.iso'), 'other byte', /bad\.iso.*(digest|sha256)/i],
    ['sends more than it said', entry('ok') + entry('bad.iso'), 'good bytes and more', /bad\.iso/],
    ['sends less than it said', entry('ok') + entry('bad.iso'), 'good', /bad\.iso/],
    ['has not what it lists', entry('ok') + entry('bad.iso'), 404, /bad\.iso.*404/],
    ['lists a parent folder', `${entry('ok')}../../etc/passwd,${digestOf(good)},10\n`, 'good bytes', /line 2/],
    ['lists an absolute path', `${entry('ok')}/etc/passwd,${digestOf(good)},10\n`, 'good bytes', /line 2/],
    ['lists a NUL', `${entry('ok')}a\0b,${digestOf(good)},10\n`, 'good bytes', /line 2/],
    ['sends no manifest', '<html>not found</html>', 'good bytes', /line 1/],
  ] as const) {
    it(`fails, names the item and shows nothing when it ${what}`, async () => {
      await withUpstream(
        (request, response) => {
          if (request.url === '/PULP_MANIFEST') response.end(manifest)
          else if (request.url === '/ok') response.end(good)
          else if (typeof answer === 'number') response.writeHead(answer).end()
          else response.end(answer)
        },
        async (url) => {
          const repository = await createFileRepository(server, url)

          const task = await syncToEnd(server, repository.id)

          assert.equal(task.result, 'error')
          assert.match(task.humanized.errors.join('\n'), message)
          assert.equal((await fetchPublished(server, repository, 'ok')).status, 404)
          assert.equal((await fetchPublished(server, repository, 'PULP_MANIFEST')).status, 404)
        },
      )
    })
  }

  it('leaves the former content as it was when a later sync fails', async () => {
    let isBroken = false
    await withUpstream(
      (request, response) => {
        if (request.url === '/PULP_MANIFEST')
          response.end(isBroken ? entry('two', Buffer.from('never sent')) : entry('one'))
        else if (isBroken) request.socket.destroy()
        else response.end(good)
      },
      async (url) => {
        const repository = await createFileRepository(server, url)
        await syncToEnd(server, repository.id)
        isBroken = true

        const task = await syncToEnd(server, repository.id)

        assert.equal(task.result, 'error')
        assert.match(task.humanized.errors.join(), /two/)
        assert.equal(await (await fetchPublished(server, repository, 'one')).text(), 'good bytes')
        assert.equal(await (await fetchPublished(server, repository, 'PULP_MANIFEST')).text(), entry('one'))
      },
    )
  })

  it('gets over an upstream that dies half-way twice', async () => {
    const bytes = Buffer.alloc(200_000, 'x')
    let attempts = 0
    await withUpstream(
      (request, response) => {
        if (request.url === '/PULP_MANIFEST') return void response.end(entry('flapping', bytes))
        attempts += 1
        response.writeHead(200, { 'content-length': bytes.length })
        if (attempts > 2) return void response.end(bytes)
        response.write(bytes.subarray(0, 1000), () => request.socket.destroy())
      },
      async (url) => {
        const repository = await createFileRepository(server, url)

        const task = await syncToEnd(server, repository.id)

        assert.equal(task.result, 'success', task.humanized.errors.join())
        assert.equal(attempts, 3)
      },
    )
  })

  it('can be cancelled while the upstream hangs', async () => {
    let isAsked = false
    await withUpstream(
      () => {
        isAsked = true
      },
      async (url) => {
        const repository = await createFileRepository(server, url)
        const { body } = await server.ask(`/content/api/repositories/${repository.id}/sync`, { method: 'POST' })
        await waitUntil('the upstream is asked', () => isAsked)

        await server.ask(`/foreman_tasks/api/tasks/${body.id}/cancel`, { method: 'POST' })

        assert.equal((await taskEnd(server, body.id)).result, 'cancelled')
      },
    )
  })

  it('sends the upstream its credentials, and shows them to nobody', async () => {
    const seen = new Set<string | undefined>()
    await withUpstream(
      (request, response) => {
        seen.add(request.headers.authorization)
        if (request.headers.authorization === undefined) response.writeHead(401).end()
        else response.end(request.url === '/PULP_MANIFEST' ? entry('x') : good)
      },
      async (url) => {
        const repository = await createFileRepository(server, url, {
          upstream_username: 'me',
          upstream_password: 's3cret',
        })

        const task = await syncToEnd(server, repository.id)

        assert.equal(task.result, 'success', task.humanized.errors.join())
        assert.deepEqual([...seen], [`Basic ${Buffer.from('me:s3cret').toString('base64')}`])
        assert.equal(repository.upstream_password_exists, true)
        assert.doesNotMatch(JSON.stringify([repository, task]), /s3cret/)
      },
    )
  })
})

describe('the content listener', () => {
  it('keeps a protected repository to those who may see it', async () => {
    const bytes = 'secret'
    const digest = createHash('sha256').update(bytes).digest('hex')
    const upstream = createServer((request, response) =>
      response.end(request.url === '/PULP_MANIFEST' ? `x,${digest},6\n` : bytes),
    ).listen(0, '127.0.0.1')
    await once(upstream, 'listening')
    const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/`
    const repository = await createFileRepository(server, url, { unprotected: false })
    await syncToEnd(server, repository.id)
    upstream.close()
    for (const login of ['member', 'stranger']) {
      await server.ask('/api/users', { method: 'POST', body: { login, password: 'long enough' } })
    }
    const users = await server.ask('/api/users?per_page=100')
    const { id } = users.body.results.find((user: { login: string }) => user.login === 'member')
    await server.ask(`/content/api/organizations/1/members/${id}`, { method: 'PUT', body: { role: 'viewer' } })
    const asking = (user: string) => ({
      headers: { authorization: `Basic ${Buffer.from(`${user}:long enough`).toString('base64')}` },
    })

    assert.equal((await fetchPublished(server, repository, 'x')).status, 401)
    assert.equal((await fetchPublished(server, repository, 'x', asking('nobody'))).status, 401)
    assert.equal((await fetchPublished(server, repository, 'x', asking('stranger'))).status, 404)
    assert.equal(await (await fetchPublished(server, repository, 'x', asking('member'))).text(), bytes)
  })
})
