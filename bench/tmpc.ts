import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFileRepository, syncToEnd } from '../test/support/content.ts'
import { FileRepository } from '../test/support/file-repository.ts'
import { startNginx } from '../test/support/nginx.ts'
import { openProgram } from './links/program.ts'

const folder = await mkdtemp(join(tmpdir(), 'bench-files-'))
const files = new FileRepository(folder)
for (let n = 0; n < 100; n += 1) await files.add(`small/${n}.bin`, randomBytes(4096))
await files.add('big.bin', randomBytes(64 * 1024 * 1024))
await files.writeManifest()
const nginx = await startNginx(folder)
const program = await openProgram()
const repository = await createFileRepository(program.server, nginx.url)
console.log((await syncToEnd(program.server, repository.id)).result)
const base = `${program.content}/content/${repository.relative_path}/`
const wrk = (url: string, c = 16) =>
  execFileSync('wrk', ['-t1', `-c${c}`, '-d3', '--latency', url], { encoding: 'utf8' })
    .split('\n')
    .filter((l) => /Requests|Transfer|Non-2xx|99%/.test(l))
    .join(' ')
for (const p of ['small/7.bin', 'big.bin']) {
  const c = p === 'big.bin' ? 2 : 16
  console.log('nginx', p, wrk(nginx.url + p, c))
  console.log('own  ', p, wrk(base + p, c))
}
await program[Symbol.asyncDispose]()
await nginx[Symbol.asyncDispose]()
await rm(folder, { recursive: true })
