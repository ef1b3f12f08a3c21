import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { openBadLine } from '../support/bad-line.ts'
import { createFileRepository, fetchPublished, syncToEnd } from '../support/content.ts'
import { FileRepository } from '../support/file-repository.ts'
import type { Json } from '../support/json.ts'
import { lacksNginx, startNginx } from '../support/nginx.ts'
import { lacksProgram } from '../support/programs.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'

const run = promisify(execFile)
const smallFiles = 5000
const bigBytes = 5_000_000

describe('a server that syncs on demand from another one', { skip: lacksNginx || lacksProgram('curl') }, () => {
  let folder: string
  let files: FileRepository
  let first: TestServer
  let source: Json

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'backhaul-two-'))
    files = new FileRepository(join(folder, 'upstream'))
    for (let number = 0; number < smallFiles - 2; number += 1)
      await files.add(`${number % 10}/${number}.txt`, `file ${number}\n`.repeat(100))
    for (const name of ['big.iso', 'bigger.iso']) await files.add(name, Buffer.alloc(bigBytes, name))
    await files.writeManifest()
    await using nginx = await startNginx(files.folder)
    first = await startTestServer()
    source = await createFileRepository(first, nginx.url)
    assert.equal((await syncToEnd(first, source.id)).result, 'success')
  })
  after(async () => {
    await first[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  })

  /** Syncs from the first server at this port, then lets curl fetch all and sha256sum check it. */
  async function checkThrough(port: number): Promise<void> {
    await using second = await startTestServer()
    const url = `http://127.0.0.1:${port}/content/${source.relative_path}/`
    const repository = await createFileRepository(second, url, {
      download_policy: 'on_demand',
      download_concurrency: 19,
    })
    const task = await syncToEnd(second, repository.id)
    assert.equal(task.result, 'success', JSON.stringify(task.humanized))
    assert.equal(task.output.added, smallFiles)
    assert.equal(task.output.fetched_files, undefined)

    const target = await mkdtemp(join(folder, 'fetched-'))
    const base = `${second.content}/content/${repository.relative_path}`
    const config = files.names.map((name) => `url = "${base}/${name}"\noutput = "${join(target, name)}"\n`)
    await writeFile(join(target, 'curl.conf'), config.join(''))
    for (let number = 0; number < 10; number += 1) await mkdir(join(target, String(number)))
    await run('curl', [
      '-sS',
      '--no-progress-meter',
      '--fail',
      '--parallel',
      '--parallel-max',
      '10',
      '--config',
      join(target, 'curl.conf'),
    ])
    const manifest = await (await fetchPublished(second, repository, 'PULP_MANIFEST')).text()
    const sums = manifest.replace(/^(.*),([0-9a-f]{64}),\d+$/gm, '$2  $1')
    await writeFile(join(target, 'SHA256SUMS'), sums)
    const { stdout } = await run('sha256sum', ['-c', 'SHA256SUMS'], { cwd: target, maxBuffer: 16 * 1024 * 1024 })

    assert.equal(stdout.trim().split('\n').length, smallFiles)
    assert.ok(!/FAILED/.test(stdout))
    assert.deepEqual(await readFile(join(target, 'big.iso')), await files.read('big.iso'))
  }

  const portOfFirst = () => Number(new URL(first.content).port)

  it('gives every file as the first has it', async () => {
    await checkThrough(portOfFirst())
  })

  it('gives every file over a line that is slow and breaks again and again', async () => {
    await using line = await openBadLine({ port: portOfFirst(), delayMs: 2, cutAfterBytes: 300_000, refusesEach: 7 })
    await checkThrough(line.port)
    assert.ok(line.broken > 20, `only ${line.broken} connections broke`)
  })
})
