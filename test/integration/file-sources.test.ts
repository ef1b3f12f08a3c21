import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { createFileRepository, fetchPublished, syncToEnd, taskEnd } from '../support/content.ts'
import { FileRepository } from '../support/file-repository.ts'
import type { Json } from '../support/json.ts'
import { lacksNginx, type Nginx, startNginx } from '../support/nginx.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { served } from '../support/uploads.ts'
import { startUpstream } from '../support/upstream-server.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server[Symbol.asyncDispose]())

const sums = 'SHA256SUMS'

describe('a sync from nginx without a manifest', { skip: lacksNginx }, () => {
  let folder: string
  let upstream: FileRepository
  let nginx: Nginx

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'backhaul-sources-'))
    upstream = new FileRepository(folder)
    await upstream.add('a.bin')
    await upstream.add('sub/deep er/b & ü.txt')
    await upstream.add('sub/empty', '')
    await upstream.add('-dash #1?.bin', randomBytes(300_000))
    nginx = await startNginx(folder)
  })
  afterEach(async () => {
    await nginx[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  })

  async function writeSums(...options: string[]): Promise<void> {
    const names = upstream.names.map((name) => `./${name}`)
    await writeFile(join(folder, sums), execFileSync('sha256sum', [...options, '--', ...names], { cwd: folder }))
  }

  async function sync(repository: Json): Promise<{ readonly task: Json; readonly requests: readonly string[] }> {
    const before = (await nginx.requests()).length
    const task = await syncToEnd(server, repository.id)
    return { task, requests: (await nginx.requests()).slice(before) }
  }

  async function succeed(repository: Json) {
    const done = await sync(repository)
    assert.equal(done.task.result, 'success', JSON.stringify(done.task.humanized.errors))
    return done
  }

  async function assertServed(repository: Json): Promise<void> {
    for (const name of upstream.names)
      assert.deepEqual(await served(server, repository, name), await upstream.read(name), name)
    const manifest = (await served(server, repository, 'PULP_MANIFEST')).toString()
    const paths = manifest.trim().split('\n')
    assert.deepEqual(paths.map((line) => line.split(',')[0]).sort(), upstream.names)
  }

  for (const options of [[], ['--binary'], ['--tag']]) {
    it(`takes what sha256sum ${options.join()} writes`, async () => {
      await writeSums(...options)
      const repository = await createFileRepository(server, nginx.url)

      const { task } = await succeed(repository)

      assert.equal(task.output.fetched_bytes, 302_000)
      await assertServed(repository)
    })
  }

  it('asks for unchanged sums once, and for nothing else', async () => {
    await writeSums()
    const repository = await createFileRepository(server, nginx.url)
    await succeed(repository)

    const { task, requests } = await succeed(repository)

    assert.deepEqual(requests, [`GET /${sums} 304`])
    assert.deepEqual(task.output, { contents_changed: false })
  })

  it('fetches only what the sums say is new, and names what went', async () => {
    await writeSums()
    const repository = await createFileRepository(server, nginx.url)
    await succeed(repository)
    await upstream.add('new.bin')
    await upstream.remove('a.bin')
    await writeSums()

    const { task } = await succeed(repository)

    assert.equal(task.output.fetched_files, 1)
    assert.deepEqual(task.output.removed_names, ['a.bin'])
    await assertServed(repository)
  })

  it('prefers a manifest, also one that appears later, and takes a URL that names the list', async () => {
    await writeSums()
    const repository = await createFileRepository(server, nginx.url)
    const named = await createFileRepository(server, `${nginx.url}${sums}`)
    await succeed(repository)
    await upstream.add('new.bin')
    await writeSums()
    await upstream.add('newer.bin')
    await upstream.writeManifest()

    assert.ok((await succeed(repository)).requests.includes('GET /PULP_MANIFEST 200'))
    const { requests } = await succeed(named)

    await assertServed(repository)
    assert.ok(requests.every((line) => !line.includes('PULP_MANIFEST')))
    assert.equal(await served(server, named, 'newer.bin'), 404)
    assert.deepEqual((await succeed(repository)).requests, ['GET /PULP_MANIFEST 304'])
  })

  it('asks for the sizes of listed files on demand, and fetches them when they are asked for', async () => {
    await writeSums()
    const repository = await createFileRepository(server, nginx.url, { download_policy: 'on_demand' })

    const { task, requests } = await succeed(repository)

    const heads = requests.filter((line) => line.startsWith('HEAD') && !line.includes('empty'))
    assert.deepEqual(heads.sort(), [
      'HEAD /-dash%20%231%3F.bin 200',
      'HEAD /a.bin 200',
      'HEAD /sub/deep%20er/b%20%26%20%C3%BC.txt 200',
    ])
    assert.equal(task.output.fetched_files, undefined)
    const head = await fetchPublished(server, repository, encodeURIComponent('-dash #1?.bin'), { method: 'HEAD' })
    assert.equal(head.headers.get('content-length'), '300000')
    await assertServed(repository)
    assert.deepEqual((await succeed(repository)).requests, [`GET /${sums} 304`])
  })

  it('fetches all that the pages of the folder list', async () => {
    const repository = await createFileRepository(server, nginx.url)

    const { task } = await succeed(repository)

    assert.equal(task.output.fetched_files, 4)
    assert.equal(task.output.fetched_bytes, 302_000)
    await assertServed(repository)
  })

  it('fetches no bytes again from an unchanged listing, and only the changed ones of a changed one', async () => {
    const repository = await createFileRepository(server, nginx.url)
    await succeed(repository)

    const again = await succeed(repository)
    assert.equal(again.requests.filter((line) => line.endsWith(' 304')).length, 4)
    assert.equal(again.task.output.fetched_files, undefined)
    assert.equal(again.task.output.contents_changed, false)

    await upstream.add('a.bin', 'of another length')
    await upstream.add('sub/new', 'new')
    await upstream.remove('sub/empty')
    const { task } = await succeed(repository)
    assert.equal(task.output.fetched_files, 2)
    assert.deepEqual(task.output.removed_names, ['a.bin', 'sub/empty'])
    await assertServed(repository)
  })

  it('refuses a listing on demand, and says which attribute is to change', async () => {
    const repository = await createFileRepository(server, nginx.url, { download_policy: 'on_demand' })

    const { task } = await sync(repository)

    assert.equal(task.result, 'error')
    assert.match(task.humanized.errors.join(), /on demand.*no checksums.*download_policy/)
  })

  it('refuses a listed file whose name the manifest cannot carry, by name', async () => {
    await upstream.add('a,b.txt')
    const repository = await createFileRepository(server, nginx.url)

    const { task } = await sync(repository)

    assert.equal(task.result, 'error')
    assert.match(task.humanized.errors.join(), /"a,b\.txt".*comma/)
  })

  for (const [what, prepare] of [
    ['manifest', () => upstream.writeManifest()],
    ['sums', () => writeSums()],
    ['listing', async () => {}],
  ] as const) {
    it(`repairs damaged files from a ${what}`, async () => {
      await prepare()
      const repository = await createFileRepository(server, nginx.url)
      await succeed(repository)
      const bytes = await upstream.read('a.bin')
      const digest = createHash('sha256').update(bytes).digest('hex')
      const blobs = join(server.folder, 'data', 'blobs')
      const stored = (await readdir(blobs, { recursive: true })).find((path) => path.endsWith(digest.slice(-40)))
      await writeFile(join(blobs, stored ?? ''), 'damaged')

      const { body } = await server.ask(`/content/api/repositories/${repository.id}/verify_checksum`, {
        method: 'POST',
      })
      const task = await taskEnd(server, body.id)

      assert.equal(task.result, 'success', JSON.stringify(task.humanized))
      assert.deepEqual(task.output.repaired, ['a.bin'])
      assert.deepEqual(await served(server, repository, 'a.bin'), bytes)
    })
  }
})

describe('a sync on demand from sums', () => {
  it('fetches the files of which HEAD tells no length, and names those that are not there', async () => {
    const digest = (text: string) => createHash('sha256').update(text).digest('hex')
    const files: Readonly<Record<string, string>> = {
      '/long': 'long bytes',
      '/chunked': 'chunked',
      '/headless': 'none',
    }
    let listed = Object.keys(files)
    await using upstream = await startUpstream(({ url = '', method }, response) => {
      const content = files[url]
      if (url === '/SHA256SUMS')
        response.end(listed.map((path) => `${digest(files[path] ?? path)}  ${path.slice(1)}\n`).join(''))
      else if (content === undefined) response.writeHead(404).end()
      else if (url === '/headless' && method === 'HEAD') response.writeHead(405).end()
      else if (url === '/long') response.writeHead(200, { 'content-length': content.length }).end(content)
      else response.writeHead(200, { 'transfer-encoding': 'chunked' }).end(content)
    })
    const repository = await createFileRepository(server, upstream.url, { download_policy: 'on_demand' })

    const task = await syncToEnd(server, repository.id)

    assert.equal(task.result, 'success', task.humanized.errors.join())
    const asked = () => upstream.requests.filter(({ method }) => method === 'GET').map(({ url }) => url)
    assert.deepEqual(asked().sort(), ['/PULP_MANIFEST', '/SHA256SUMS', '/chunked', '/headless'])
    assert.equal(task.output.fetched_files, 2)
    for (const [path, content] of Object.entries(files))
      assert.equal(String(await served(server, repository, path.slice(1))), content)
    listed = [...listed, '/gone1', '/gone2']
    const failed = await syncToEnd(server, repository.id)
    assert.match(failed.humanized.errors.join(), /gone1.*404.*gone2.*404/)
  })
})
