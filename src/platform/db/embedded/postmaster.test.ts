import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { parsePostmasterFile, postmasterFilePath, stopLeftServer } from './postmaster.ts'

const whole = '123\n/data\n1795225401\n5432\n/sockets\n\n  2146971         8\nready   \n'

describe('a postmaster.pid', () => {
  for (const [state, text, file] of [
    ['whole', whole, { pid: 123, port: 5432, socketFolder: '/sockets', isReady: true }],
    ['of a starting server', whole.replace('ready', 'starting'), { ...parsePostmasterFile(whole), isReady: false }],
    ['half-written', '123\n/da', { pid: 123, port: 0, socketFolder: '', isReady: false }],
    ['of a server that runs alone', '-123\n/data\n', undefined],
    ['empty', '', undefined],
  ] as const) {
    it(`that is ${state} is understood`, () => {
      assert.deepEqual(parsePostmasterFile(text), file)
    })
  }

  for (const [state, text] of [
    ['names an unrelated process', (pid: number) => whole.replace('123', String(pid))],
    ['names no process', () => whole.replace('123', '4194304')],
    ['is garbage', () => 'garbage'],
  ] as const) {
    it(`that ${state} is removed, and nothing is stopped`, async () => {
      const folder = await mkdtemp(join(tmpdir(), 'postmaster-'))
      const unrelated = spawn('sleep', ['1000'])
      await writeFile(postmasterFilePath(folder), text(unrelated.pid ?? 0))

      await stopLeftServer(folder)

      assert.deepEqual(await readdir(folder), [])
      unrelated.kill('SIGTERM')
      assert.deepEqual(await once(unrelated, 'exit'), [null, 'SIGTERM'])
      await rm(folder, { recursive: true })
    })
  }
})
