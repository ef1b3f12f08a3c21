import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { FileRepository } from '../support/file-repository.ts'
import { freePort } from '../support/free-port.ts'
import { lacksNginx, type Nginx, startNginx } from '../support/nginx.ts'
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { adminPassword, ask } from '../support/test-server.ts'
import { waitUntil } from '../support/wait-until.ts'

const kills = 20
const files = 200

describe('a server that is killed again and again', { skip: lacksNginx }, () => {
  let folder: string
  let upstream: FileRepository
  let nginx: Nginx
  let database: TestDatabase
  let child: ChildProcess
  let env: Record<string, string>
  let api: string
  let content: string

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'backhaul-killed-'))
    upstream = new FileRepository(join(folder, 'upstream'))
    for (let index = 0; index < files; index += 1) await upstream.add(`f${index % 7}/file-${index}`)
    await upstream.writeManifest()
    nginx = await startNginx(upstream.folder)
    database = await createTestDatabase()
    const [apiPort, contentPort] = [await freePort(), await freePort()]
    api = `http://127.0.0.1:${apiPort}`
    content = `http://127.0.0.1:${contentPort}`
    env = {
      BACKHAUL_DATA: join(folder, 'data'),
      BACKHAUL_API_LISTEN: `127.0.0.1:${apiPort}`,
      BACKHAUL_CONTENT_LISTEN: `127.0.0.1:${contentPort}`,
      BACKHAUL_ADMIN_PASSWORD: adminPassword,
      BACKHAUL_DATABASE_URL: database.url,
      BACKHAUL_LOG_LEVEL: 'fatal',
    }
  })
  after(async () => {
    child.kill('SIGTERM')
    await once(child, 'exit')
    await database[Symbol.asyncDispose]()
    await nginx[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  })

  async function start(): Promise<void> {
    const program = join(import.meta.dirname, '../../bin/backhaul.mjs')
    child = spawn(process.execPath, [program, 'serve'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...env },
    })
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })
    const [line] = await once(lines, 'line')
    assert.equal(line, 'Backhaul is ready.')
  }

  async function post(path: string, body?: unknown) {
    const answer = await ask(new URL(path, api), { method: 'POST', body })
    assert.ok(answer.status < 300, JSON.stringify(answer.body))
    return answer.body
  }

  /** What a client sees must be nothing at all, or all of it and right. */
  async function checkServed(path: string): Promise<'nothing' | 'everything'> {
    const manifest = await fetch(`${content}/content/${path}/PULP_MANIFEST`)
    const text = await manifest.text()
    if (manifest.status === 404) return 'nothing'
    assert.equal(
      text.split('\n').sort().join('\n'),
      (await upstream.read('PULP_MANIFEST')).toString().split('\n').sort().join('\n'),
    )
    for (const name of upstream.names) {
      const bytes = Buffer.from(await (await fetch(`${content}/content/${path}/${name}`)).arrayBuffer())
      assert.deepEqual(bytes, await upstream.read(name), name)
    }
    return 'everything'
  }

  it(`ends a sync of ${files} files by itself, and never serves a part of it`, async (t) => {
    await start()
    const product = await post('/content/api/products', { organization_id: 1, name: 'Killed' })
    const seed = Number(createHash('sha256').update(String(Date.now())).digest().readUInt32BE())
    t.diagnostic(`seed ${seed}`)
    let state = seed
    const random = () => {
      state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
      return state / 2 ** 32
    }
    let repository = await post('/content/api/repositories', {
      product_id: product.id,
      name: 'R0',
      content_type: 'file',
      url: nginx.url,
    })
    let task = await post(`/content/api/repositories/${repository.id}/sync`)

    for (let kill = 1; kill <= kills; kill += 1) {
      await setTimeout(random() * 400)
      child.kill('SIGKILL')
      await once(child, 'exit')
      await start()
      await checkServed(repository.relative_path)
      const { body } = await ask(new URL(`/foreman_tasks/api/tasks/${task.id}`, api))
      if (body.state === 'stopped') {
        // it ended between two kills: begin again with a new upstream state, so that every kill has work to hit
        assert.equal(body.result, 'success', JSON.stringify(body.humanized))
        assert.equal(await checkServed(repository.relative_path), 'everything')
        for (let index = 0; index < files; index += 1) await upstream.add(`f${index % 7}/file-${index}`)
        await upstream.writeManifest()
        repository = await post('/content/api/repositories', {
          product_id: product.id,
          name: `R${kill}`,
          content_type: 'file',
          url: nginx.url,
        })
        task = await post(`/content/api/repositories/${repository.id}/sync`)
      }
    }

    const ended = await waitUntil('the task ends by itself', async () => {
      const { body } = await ask(new URL(`/foreman_tasks/api/tasks/${task.id}`, api))
      return body.state === 'stopped' && body
    })
    assert.equal(ended.result, 'success', JSON.stringify(ended.humanized))
    assert.equal(await checkServed(repository.relative_path), 'everything')
  })
})
