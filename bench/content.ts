import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createFileRepository, syncToEnd } from '../test/support/content.ts'
import { FileRepository } from '../test/support/file-repository.ts'
import { startNginx } from '../test/support/nginx.ts'
import { openProgram } from './program.ts'
import { claim, finish, note } from './report.ts'

/**
 * What the content half promises, measured on this machine against nginx in the same run: the upstream of syncs is nginx,
 * and nginx serves the same files that Backhaul serves.
 */
const seconds = Number(process.env['BENCH_SECONDS'] ?? 3)
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 3)
const smallFiles = 20_000
const smallBytes = 4096
const bigBytes = 64 * 1024 * 1024

const folder = await mkdtemp(join(tmpdir(), 'backhaul-bench-files-'))
try {
  note(`${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}`)
  const files = new FileRepository(folder)
  for (let number = 0; number < smallFiles; number += 1) await files.add(`small/${number}.bin`, randomBytes(smallBytes))
  await files.add('big.bin', randomBytes(bigBytes))
  await files.writeManifest()
  await using nginx = await startNginx(folder)
  await using program = await openProgram()
  const repository = await createFileRepository(program.server, nginx.url)
  await syncs(repository.id)
  await serving(nginx.url, `${program.content}/content/${repository.relative_path}/`)

  async function syncs(id: number): Promise<void> {
    note(`\nsync of ${smallFiles} files of ${smallBytes} bytes and one of ${bigBytes} from nginx`)
    const before = program.memoryMegabytes()
    const start = performance.now()
    const { result } = await syncToEnd(program.server, id)
    const took = (performance.now() - start) / 1000
    if (result !== 'success') throw new Error('The sync failed')
    const growth = program.memoryMegabytes() - before
    const again = performance.now()
    await syncToEnd(program.server, id)
    claim('files a second, immediate', smallFiles / took, { atLeast: 1500 })
    claim('memory of all processes grew by, MB', growth, { atMost: 300 })
    claim('a sync when nothing changed, seen from outside, ms', performance.now() - again, { atMost: 100 })
  }
} finally {
  await rm(folder, { recursive: true })
}
finish()

async function serving(nginx: string, own: string): Promise<void> {
  note(`\nserving, ${seconds} s of wrk for each run, the best of ${rounds} rounds`)
  const small = await inTurn(nginx, own, { path: 'small/7.bin', connections: 16 })
  note(`  ${smallBytes} bytes: nginx ${Math.round(small.nginx)}/s, Backhaul ${Math.round(small.own)}/s`)
  claim('requests a second, of nginx', small.own / small.nginx, { atLeast: 0.3 })
  const big = await inTurn(nginx, own, { path: 'big.bin', connections: 2 })
  const rate = (perSecond: number) => ((perSecond * bigBytes) / 1e9).toFixed(2)
  note(`  ${bigBytes} bytes: nginx ${rate(big.nginx)} GB/s, Backhaul ${rate(big.own)} GB/s`)
  claim('throughput, of nginx', big.own / big.nginx, { atLeast: 0.7 })
}

interface Load {
  readonly path: string
  readonly connections: number
}

async function inTurn(nginx: string, own: string, load: Load): Promise<{ nginx: number; own: number }> {
  const best = { nginx: 0, own: 0 }
  for (let round = 0; round < rounds; round += 1) {
    best.nginx = Math.max(best.nginx, await requestsPerSecond(nginx, load))
    best.own = Math.max(best.own, await requestsPerSecond(own, load))
  }
  return best
}

async function requestsPerSecond(base: string, { path, connections }: Load): Promise<number> {
  const { stdout } = await promisify(execFile)('wrk', ['-t1', `-c${connections}`, `-d${seconds}`, base + path])
  if (/Non-2xx/.test(stdout)) throw new Error(`Not every answer was a file:\n${stdout}`)
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1])
}
