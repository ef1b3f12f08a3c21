import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, type IncomingMessage, request } from 'node:http'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createFileRepository, syncToEnd, taskEnd } from '../test/support/content.ts'
import { FileRepository } from '../test/support/file-repository.ts'
import { startNginx } from '../test/support/nginx.ts'
import { adminPassword } from '../test/support/test-server.ts'
import { ChunkedUploads, multipart } from '../test/support/uploads.ts'
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
const uploadBytes = 2 * 1024 * 1024 * 1024
const chunkBytes = 8 * 1024 * 1024
const agent = new Agent({ keepAlive: true })

const folder = await mkdtemp(join(tmpdir(), 'backhaul-bench-files-'))
try {
  note(`${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}`)
  const files = new FileRepository(folder)
  for (let number = 0; number < smallFiles; number += 1) await files.add(`small/${number}.bin`, randomBytes(smallBytes))
  await files.add('big.bin', randomBytes(bigBytes))
  await files.writeManifest()
  await using nginx = await startNginx(folder)
  await using program = await openProgram()
  await onDemand()
  const repository = await createFileRepository(program.server, nginx.url)
  await syncs(repository.id)
  await uploads()
  agent.destroy()
  await serving(nginx.url, `${program.content}/content/${repository.relative_path}/`)

  async function onDemand(): Promise<void> {
    note(`\nsync on demand of ${smallFiles} files from nginx`)
    const { id } = await createFileRepository(program.server, nginx.url, { download_policy: 'on_demand' })
    const before = program.memoryMegabytes()
    const start = performance.now()
    const { result } = await syncToEnd(program.server, id)
    const took = (performance.now() - start) / 1000
    if (result !== 'success') throw new Error('The sync failed')
    claim('files a second, on demand', smallFiles / took, { atLeast: 20_000 })
    claim('memory of all processes grew by, MB', program.memoryMegabytes() - before, { atMost: 300 })
    const again = performance.now()
    await syncToEnd(program.server, id)
    claim('a sync when nothing changed, seen from outside, ms', performance.now() - again, { atMost: 100 })
    await program.server.ask(`/content/api/repositories/${id}`, { method: 'DELETE' })
  }

  async function uploads(): Promise<void> {
    note(`\nupload of ${uploadBytes} bytes in chunks of ${chunkBytes}`)
    const disk = await diskRate(folder)
    const { id } = await createFileRepository(program.server, nginx.url)
    const before = program.memoryMegabytes()
    const chunk = randomBytes(chunkBytes)
    const chunks = new ChunkedUploads(program.server)
    const start = performance.now()
    const upload = await chunks.begin(id, uploadBytes)
    for (let offset = 0; offset < uploadBytes; offset += chunkBytes) {
      chunk.writeDoubleLE(offset)
      await sendChunk(`${program.server.api}/content/api/repositories/${id}/content_uploads/${upload}`, offset, chunk)
    }
    const sent = performance.now()
    const task = await chunks.import(id, [{ id: upload, name: 'uploaded.bin' }])
    const { result } = await taskEnd(program.server, task.body.id)
    if (result !== 'success') throw new Error('The import failed')
    const rate = (from: number, to: number) => (uploadBytes / (to - from)) * 1000
    note(`  disk ${megabytes(disk)} MB/s, chunks ${megabytes(rate(start, sent))} MB/s`)
    claim("rate, of the disk's own", rate(start, performance.now()) / disk, { atLeast: 0.6 })
    claim('memory of all processes grew by, MB', program.memoryMegabytes() - before, { atMost: 100 })
  }

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

function megabytes(bytesPerSecond: number): number {
  return Math.round(bytesPerSecond / 1e6)
}

/** Writes as many bytes as an upload has, and waits until the medium has them. */
async function diskRate(folder: string): Promise<number> {
  const path = join(folder, 'disk')
  const start = performance.now()
  const arguments_ = [
    'if=/dev/zero',
    `of=${path}`,
    'bs=4M',
    `count=${uploadBytes / (4 * 1024 * 1024)}`,
    'conv=fdatasync',
  ]
  await promisify(execFile)('dd', arguments_)
  const took = performance.now() - start
  await rm(path)
  return (uploadBytes / took) * 1000
}

/** Sends a chunk as clients written in faster languages do, without a copy of it. */
async function sendChunk(url: string, offset: number, chunk: Uint8Array): Promise<void> {
  const head = Buffer.from(
    `--xyz\r\nContent-Disposition: form-data; name="offset"\r\n\r\n${offset}\r\n--xyz\r\nContent-Disposition: form-data; name="content"\r\n\r\n`,
  )
  const tail = Buffer.from('\r\n--xyz--\r\n')
  const sending = request(url, {
    method: 'PUT',
    agent,
    auth: `admin:${adminPassword}`,
    headers: { ...multipart, 'content-length': head.length + chunk.length + tail.length },
  })
  for (const part of [head, chunk, tail]) sending.write(part)
  sending.end()
  const [answer] = (await once(sending, 'response')) as [IncomingMessage]
  answer.resume()
  if (answer.statusCode !== 204) throw new Error('A chunk was refused')
  await once(answer, 'end')
}

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
