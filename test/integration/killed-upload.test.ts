import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { createFileRepository, taskEnd } from '../support/content.ts'
import { freePort } from '../support/free-port.ts'
import { startProgram } from '../support/program.ts'
import { ChunkedUploads, served, sha256 } from '../support/uploads.ts'

describe('an upload to a server that is killed', () => {
  it('goes on where it was, between chunks as well as in the midst of an import', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'backhaul-killed-upload-'))
    const ports = { api: await freePort(), content: await freePort() }
    const content = `http://127.0.0.1:${ports.content}`
    const whole = randomBytes(20_000_000)
    try {
      let program = await startProgram(folder, ports)
      const repository = await createFileRepository(program.server, 'http://127.0.0.1:1/')
      const id = await new ChunkedUploads(program.server).begin(repository.id, whole.length)
      assert.equal(
        await new ChunkedUploads(program.server).send(repository.id, id, 0, whole.subarray(0, 9_000_000)),
        204,
      )
      await program.stop('SIGKILL')

      program = await startProgram(folder, ports)
      const chunks = new ChunkedUploads(program.server)
      assert.equal(await chunks.send(repository.id, id, 9_000_000, whole.subarray(9_000_000)), 204)
      const upload = { id, name: 'whole', checksum: sha256(whole) }
      const { status, body: task } = await chunks.import(repository.id, [upload], { async: true })
      assert.equal(status, 202)
      await setTimeout(Math.random() * 100)
      await program.stop('SIGKILL')

      await using last = await startProgram(folder, ports)
      const ended = await taskEnd(last.server, task.id)
      assert.equal(ended.result, 'success', JSON.stringify(ended.humanized))
      assert.deepEqual(await served({ ...last.server, content }, repository, 'whole'), whole)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})
