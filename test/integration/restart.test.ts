import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, it } from 'node:test'
import { freePort } from '../support/free-port.ts'
import { createLab, lacksVpcs, put, startNodes } from '../support/lab.ts'
import { adminPassword, ask, type TestServer } from '../support/test-server.ts'
import { ping } from '../support/vpcs-console.ts'
import { waitUntil } from '../support/wait-until.ts'

/** The real program with its own embedded database, as `npm start` runs it. */
async function startProgram(folder: string, ports: { api: number; content: number }) {
  const program = join(import.meta.dirname, '../../bin/backhaul.mjs')
  const start = performance.now()
  const child = spawn(process.execPath, [program, 'serve'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      BACKHAUL_DATA: join(folder, 'data'),
      BACKHAUL_API_LISTEN: `127.0.0.1:${ports.api}`,
      BACKHAUL_CONTENT_LISTEN: `127.0.0.1:${ports.content}`,
      BACKHAUL_ADMIN_PASSWORD: adminPassword,
      BACKHAUL_LOG_LEVEL: 'warn',
    },
  })
  let complaints = ''
  child.stderr.on('data', (chunk) => {
    complaints += chunk
  })
  const first = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), once(child, 'exit')])
  const api = `http://127.0.0.1:${ports.api}`
  const server = {
    api,
    ask: (path: string, asking?: object) => ask(new URL(path, api), asking),
  } as unknown as TestServer
  return {
    child,
    server,
    isReady: first[0] === 'Backhaul is ready.',
    readyMs: performance.now() - start,
    complaints: () => complaints,
    /** Gives the exit code, or the signal that ended it. */
    stop: async (signal: NodeJS.Signals): Promise<number | string> => {
      if (child.exitCode !== null) return child.exitCode
      child.kill(signal)
      const [code, by] = await once(child, 'exit')
      return code ?? by
    },
  }
}

/** The processes that have this folder in their command line or as their working folder. */
function processesOf(folder: string): string[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,stat=,args='], { encoding: 'utf8' }).split('\n')
  return lines.filter((line) => line.includes(folder) && !/^\s*\d+ Z/.test(line))
}

describe('the program', () => {
  it('keeps a folder to itself, ends cleanly on SIGTERM, and leaves no process behind', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'backhaul-program-'))
    const ports = { api: await freePort(), content: await freePort() }
    const first = await startProgram(folder, ports)
    assert.ok(first.isReady, first.complaints())

    const second = await startProgram(folder, { api: await freePort(), content: await freePort() })
    assert.equal(second.isReady, false)
    assert.equal(await second.stop('SIGKILL'), 1)
    assert.match(second.complaints(), /another Backhaul runs on it/)

    assert.equal(await first.stop('SIGTERM'), 0)
    assert.deepEqual(processesOf(folder), [])
    assert.deepEqual((await readdir(join(folder, 'data'))).includes('postgres'), true)
    await rm(folder, { recursive: true })
  })

  it('cleans up a start that fails half-way: a taken port leaves no database running', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'backhaul-program-'))
    const ports = { api: await freePort(), content: await freePort() }
    const first = await startProgram(folder, ports)
    const other = await mkdtemp(join(tmpdir(), 'backhaul-program-'))

    const second = await startProgram(other, ports)

    assert.equal(second.isReady, false)
    assert.equal(await second.stop('SIGKILL'), 1)
    assert.match(second.complaints(), /EADDRINUSE|in use/)
    assert.deepEqual(processesOf(other), [])
    await first.stop('SIGTERM')
    for (const path of [folder, other]) await rm(path, { recursive: true })
  })

  for (const [how, signal] of [
    ['stopped', 'SIGTERM'],
    ['killed', 'SIGKILL'],
  ] as const) {
    it(`brings projects, nodes and links back after it was ${how}, and starts what ran`, {
      skip: lacksVpcs,
    }, async () => {
      const folder = await mkdtemp(join(tmpdir(), 'backhaul-program-'))
      const ports = { api: await freePort(), content: await freePort() }
      const first = await startProgram(folder, ports)
      const lab = await createLab(first.server)
      await startNodes(first.server, lab)
      const before = await put(first.server, lab.linkPath, { filters: { delay: [30] } })
      await first.stop(signal)
      await waitUntil('nothing of it runs', () => processesOf(folder).length === 0)

      const second = await startProgram(folder, ports)

      assert.deepEqual((await second.server.ask(lab.linkPath)).body, before)
      const times = await ping(lab.nodes[0].console, '10.0.0.2')
      assert.equal(times.length, 3)
      assert.ok(Math.min(...times) >= 60, `${times}`)
      assert.equal(await second.stop('SIGTERM'), 0)
      assert.deepEqual(processesOf(folder), [])
      await rm(folder, { recursive: true })
    })
  }
})
