import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout } from 'node:timers/promises'
import { createGzip } from 'node:zlib'
import { syncToEnd } from '../test/support/content.ts'
import { startNginx } from '../test/support/nginx.ts'
import { type BenchProgram, openProgram } from './program.ts'
import { claim, finish, note } from './report.ts'
import { Client, duration, percentiles } from './scale/client.ts'
import { type MadeMetadata, makeMetadata } from './yum/made-metadata.ts'

/** What repositories of packages promise at the size of a whole distribution, from metadata as a mirror has it. */
const packages = 60_000
const filesPerPackage = 75
/** Somebody looks at lists meanwhile, so often. */
const askEveryMs = 50

const folder = await mkdtemp(join(tmpdir(), 'backhaul-bench-yum-'))
try {
  note(`${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}`)
  await writeRepository(makeMetadata(packages, filesPerPackage))
  await using nginx = await startNginx(folder)
  await using program = await openProgram()
  const repository = await createRepository(program, nginx.url)
  await measureSync(program, repository, 'first', 25)
  await measureSync(program, repository, 'unchanged', 0.1)
  await writeRepository(makeMetadata(packages + 100, filesPerPackage))
  await measureSync(program, repository, '100 packages more', 4)
} finally {
  await rm(folder, { recursive: true })
}
finish()

async function createRepository({ server }: BenchProgram, url: string): Promise<number> {
  const ask = async (path: string, body: object) =>
    (await server.ask(`/content/api/${path}`, { method: 'POST', body })).body
  const product = await ask('products', { organization_id: 1, name: 'Bench' })
  const attributes = { name: 'Packages', content_type: 'yum', url, download_policy: 'on_demand' }
  return (await ask('repositories', { product_id: product.id, ...attributes })).id
}

async function measureSync(program: BenchProgram, id: number, what: string, atMost: number): Promise<void> {
  using client = new Client(program.server.api)
  const before = program.memoryMegabytes()
  let peak = before
  const watch = setInterval(() => {
    peak = Math.max(peak, program.memoryMegabytes())
  }, 200)
  let isRunning = true
  const took: number[] = []
  const lists = async () => {
    while (isRunning) {
      took.push(await duration(() => client.ask('GET', '/content/api/repositories')))
      await setTimeout(askEveryMs)
    }
  }
  const asking = lists()
  const start = performance.now()
  const task = await syncToEnd(program.server, id)
  const seconds = (performance.now() - start) / 1000
  isRunning = false
  await asking
  clearInterval(watch)
  if (task.result !== 'success') throw new Error(JSON.stringify(task.humanized))
  note(`\nsync of ${packages} packages, ${what}: ${JSON.stringify(task.output)}`)
  claim('from request to end, s', seconds, { atMost })
  claim('peak memory of all processes, MB', peak, { atMost: 900 })
  claim('p99 of the list of repositories meanwhile, ms', percentiles(took).p99, { atMost: 100 })
}

async function writeRepository(made: MadeMetadata): Promise<void> {
  const repodata = join(folder, 'repodata')
  await mkdir(repodata, { recursive: true })
  const records: string[] = []
  for (const type of ['primary', 'filelists', 'other'] as const)
    records.push(await writeList(repodata, type, made[type]()))
  const repomd = `<?xml version="1.0" encoding="UTF-8"?>\n<repomd xmlns="http://linux.duke.edu/metadata/repo"><revision>${made.packages}</revision>${records.join('')}</repomd>\n`
  await writeFile(join(repodata, 'new'), repomd)
  await rename(join(repodata, 'new'), join(repodata, 'repomd.xml'))
}

async function writeList(repodata: string, type: string, content: Generator<Buffer>): Promise<string> {
  const [open, packed] = [createHash('sha256'), createHash('sha256')]
  let openBytes = 0
  const counted = function* () {
    for (const piece of content) {
      open.update(piece)
      openBytes += piece.length
      yield piece
    }
  }
  const path = join(repodata, type)
  const hashed = async function* (source: AsyncIterable<Buffer>) {
    for await (const piece of source) {
      packed.update(piece)
      yield piece
    }
  }
  await pipeline(
    Readable.from(counted(), { objectMode: false }),
    createGzip({ level: 4 }),
    hashed,
    createWriteStream(path),
  )
  const sha256 = packed.digest('hex')
  const name = `${sha256}-${type}.xml.gz`
  await rename(path, join(repodata, name))
  const { size } = await stat(join(repodata, name))
  note(`${type}: ${Math.round(openBytes / 1e6)} MB, ${Math.round(size / 1e6)} MB compressed`)
  return `<data type="${type}"><checksum type="sha256">${sha256}</checksum><open-checksum type="sha256">${open.digest('hex')}</open-checksum><location href="repodata/${name}"/><timestamp>1700000000</timestamp><size>${size}</size><open-size>${openBytes}</open-size></data>`
}
