import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, openSync, writeSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, describe, it } from 'node:test'
import { createFileRepository, fetchPublished, syncToEnd } from '../support/content.ts'
import { FileRepository } from '../support/file-repository.ts'
import type { Json } from '../support/json.ts'
import { lacksNginx, type Nginx, startNginx } from '../support/nginx.ts'
import { lacksProgram, lacksRoot } from '../support/programs.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { served } from '../support/uploads.ts'
import { waitUntil } from '../support/wait-until.ts'

describe('a full disk', { skip: lacksRoot || lacksNginx || lacksProgram('mount', 'umount') }, () => {
  let folder: string
  let upstream: FileRepository
  let nginx: Nginx
  let server: TestServer
  const data = () => join(folder, 'data')
  const filler = () => join(data(), 'filler')

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'backhaul-full-'))
    upstream = new FileRepository(join(folder, 'upstream'))
    await upstream.add('small')
    await upstream.writeManifest()
    execFileSync('mkdir', [data()])
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', data()])
    nginx = await startNginx(upstream.folder)
    server = await startTestServer({ BACKHAUL_DATA: data() })
  })
  after(async () => {
    await server[Symbol.asyncDispose]()
    await nginx[Symbol.asyncDispose]()
    execFileSync('umount', [data()])
    await rm(folder, { recursive: true })
  })
  afterEach(() => rm(filler(), { force: true }))

  /** Takes all space but so much. */
  function fill(leftBytes = 0): void {
    const file = openSync(filler(), 'w')
    try {
      const free = Number(execFileSync('df', ['--output=avail', '-B1', data()], { encoding: 'utf8' }).split('\n')[1])
      for (let left = free - leftBytes; left > 0; left -= 4096) writeSync(file, Buffer.alloc(4096))
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC')
    } finally {
      closeSync(file)
    }
  }

  async function assertFails(repository: Json, message: RegExp): Promise<void> {
    const task = await syncToEnd(server, repository.id)
    assert.equal(task.result, 'error')
    assert.match(task.humanized.errors.join(), message)
    await waitUntil('nothing is half-done', async () => (await readdir(join(data(), 'blobs', 'tmp'))).length === 0)
  }

  async function assertSucceeds(repository: Json): Promise<void> {
    await rm(filler(), { force: true })
    const task = await syncToEnd(server, repository.id)
    assert.equal(task.result, 'success', JSON.stringify(task.humanized.errors))
    for (const name of upstream.names)
      assert.deepEqual(await served(server, repository, name), await upstream.read(name))
  }

  for (const [source, list] of [
    ['a manifest', () => upstream.writeManifest()],
    ['a plain listing', () => rm(join(upstream.folder, 'PULP_MANIFEST'))],
  ] as const) {
    it(`is named by a sync from ${source}, old content stays, and the next one succeeds when there is space again`, async () => {
      await upstream.writeManifest()
      const repository = await createFileRepository(server, nginx.url)
      await assertSucceeds(repository)
      const before = await served(server, repository, 'PULP_MANIFEST')
      for (const name of ['big1', 'big2', 'big3']) await upstream.add(name, randomBytes(1_500_000))
      await list()
      fill(2_000_000)

      await assertFails(repository, /big\d.*the disk is full/)

      assert.deepEqual(await served(server, repository, 'PULP_MANIFEST'), before)
      assert.deepEqual(await served(server, repository, 'small'), await upstream.read('small'))
      await assertSucceeds(repository)
    })
  }

  it('is named by a sync that publishes, old content stays, and the next one succeeds when there is space again', async () => {
    await upstream.writeManifest()
    const first = await createFileRepository(server, nginx.url)
    await assertSucceeds(first)
    const second = await createFileRepository(server, nginx.url)
    fill()

    await assertFails(second, /Cannot keep PULP_MANIFEST: the disk is full/)

    assert.equal(await served(server, second, 'small'), 404)
    assert.deepEqual(await served(server, first, 'small'), await upstream.read('small'))
    await assertSucceeds(second)
  })

  it('is named to clients who ask for a file on demand, who get it when there is space again', async () => {
    await upstream.add('wanted', randomBytes(1_000_000))
    await upstream.writeManifest()
    const repository = await createFileRepository(server, nginx.url, { download_policy: 'on_demand' })
    assert.equal((await syncToEnd(server, repository.id)).result, 'success')
    fill()

    const answer = await fetchPublished(server, repository, 'wanted')

    assert.equal(answer.status, 503)
    assert.match(await answer.text(), /wanted.*the disk is full/)
    await waitUntil('nothing is half-done', async () => (await readdir(join(data(), 'blobs', 'tmp'))).length === 0)
    await assertSucceeds(repository)
  })
})
