import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { freePort } from '../support/free-port.ts'
import { createLab, lacksVpcs, put, startNodes } from '../support/lab.ts'
import { processesOf, startProgram } from '../support/program.ts'
import { ping } from '../support/vpcs-console.ts'
import { waitUntil } from '../support/wait-until.ts'

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
      // another server may have taken the console's port meanwhile
      const { console } = (await second.server.ask(`${lab.base}/nodes/${lab.nodes[0].node_id}`)).body
      const times = await ping(console, '10.0.0.2')
      assert.equal(times.length, 3)
      assert.ok(Math.min(...times) >= 60, `${times}`)
      assert.equal(await second.stop('SIGTERM'), 0)
      assert.deepEqual(processesOf(folder), [])
      await rm(folder, { recursive: true })
    })
  }
})
