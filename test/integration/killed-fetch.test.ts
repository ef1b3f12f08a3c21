import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createFileRepository, syncToEnd, taskEnd } from '../support/content.ts'
import { freePort } from '../support/free-port.ts'
import { startProgram } from '../support/program.ts'
import type { TestServer } from '../support/test-server.ts'
import { served } from '../support/uploads.ts'
import { startUpstream, type UpstreamServer } from '../support/upstream-server.ts'
import { waitUntil } from '../support/wait-until.ts'

const big = randomBytes(6_000_000)
const listed = 20_000
const digestOf = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex')

describe('a server that is killed', () => {
  let folder: string
  let ports: { api: number; content: number }
  let upstream: UpstreamServer
  let manifest: string
  let isStuck: boolean
  let program: Awaited<ReturnType<typeof startProgram>>

  before(async () => {
    const small = digestOf('small')
    const lines = Array.from({ length: listed }, (_, index) => `folder/file-${index},${small},5\n`)
    manifest = `big.bin,${digestOf(big)},${big.length}\n${lines.join('')}`
    upstream = await startUpstream(({ url }, response) => {
      if (url === '/PULP_MANIFEST') response.end(manifest)
      else if (url !== '/big.bin') response.end('small')
      else if (isStuck) response.writeHead(200, { 'content-length': big.length }).write(big.subarray(0, 3_000_000))
      else response.end(big)
    })
  })
  after(() => upstream[Symbol.asyncDispose]())
  beforeEach(async () => {
    isStuck = true
    folder = await mkdtemp(join(tmpdir(), 'backhaul-killed-fetch-'))
    ports = { api: await freePort(), content: await freePort() }
    program = await startProgram(folder, ports)
  })
  afterEach(async () => {
    await program[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  })

  const temporary = () => join(folder, 'data', 'blobs', 'tmp')
  const server = (): TestServer => ({ ...program.server, content: `http://127.0.0.1:${ports.content}` })

  async function restart(): Promise<void> {
    await program.stop('SIGKILL')
    program = await startProgram(folder, ports)
    assert.ok(program.isReady, program.complaints())
    isStuck = false
  }

  it('while it fetches a file on demand serves it afterwards, and keeps no part of the first attempt', async () => {
    const repository = await createFileRepository(program.server, upstream.url, { download_policy: 'on_demand' })
    assert.equal((await syncToEnd(program.server, repository.id)).result, 'success')
    const broken = served(server(), repository, 'big.bin').catch(() => 'broken')
    await waitUntil('bytes come in', () => readdirSync(temporary()).length === 1)

    await program.stop('SIGKILL')
    assert.equal((await readdir(temporary())).length, 1)
    await restart()

    assert.equal(await broken, 'broken')
    await waitUntil('nothing is half-done', async () => (await readdir(temporary())).length === 0)
    assert.deepEqual(await served(server(), repository, 'big.bin'), big)
    assert.equal(String(await served(server(), repository, 'folder/file-7')), 'small')
  })

  it('while it publishes ends the sync afterwards, serves all of it, and keeps no part of the first attempt', async () => {
    const repository = await createFileRepository(program.server, upstream.url, { download_policy: 'on_demand' })
    const { body } = await program.server.ask(`/content/api/repositories/${repository.id}/sync`, { method: 'POST' })
    // nothing but the manifest for clients is written by such a sync, and not for long
    for (let turn = 0; turn < 1_000_000 && readdirSync(temporary()).length === 0; turn += 1) await setImmediate()

    await restart()

    const task = await taskEnd(program.server, body.id)
    assert.equal(task.result, 'success', JSON.stringify(task.humanized))
    const lines = (text: string) => text.trim().split('\n').sort()
    const published = String(await served(server(), repository, 'PULP_MANIFEST'))
    assert.deepEqual(lines(published), lines(manifest))
    assert.deepEqual(await served(server(), repository, 'big.bin'), big)
    await waitUntil('nothing is half-done', async () => (await readdir(temporary())).length === 0)
  })
})
