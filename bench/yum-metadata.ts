// How fast metadata of 60,000 packages is read: `node bench/yum-metadata.ts [packages]`.
import { spawnSync } from 'node:child_process'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { readFilelists, readOther } from '../src/content/types/yum/metadata/read-fragments.ts'
import { readModules } from '../src/content/types/yum/metadata/read-modules.ts'
import { readPrimary } from '../src/content/types/yum/metadata/read-primary.ts'
import { readUpdateinfo } from '../src/content/types/yum/metadata/read-updateinfo.ts'
import { decompress } from '../src/platform/compression/decompress.ts'
import { listDebianPackages } from './yum/debian-packages.ts'
import { makeMetadata, makeModules, makeUpdateinfo } from './yum/made-metadata.ts'

type Reader = (content: AsyncIterable<Uint8Array>) => AsyncIterable<{ readonly packages: readonly unknown[] }>

const packages = Number(process.argv[2] ?? 60_000)
const made = makeMetadata(listDebianPackages(packages))
const lists: readonly (readonly [string, () => Iterable<Buffer>, Reader])[] = [
  ['primary', made.primary, (content) => readPrimary(content)],
  ['filelists', made.filelists, (content) => readFilelists(content)],
  ['other', made.other, (content) => readOther(content)],
]

for (const [name, make, read] of lists) {
  const text = Buffer.concat([...make()])
  await measure(`${name}, not compressed`, text.length, () => read(chunksOf(text)))
  for (const [kind, compress] of [
    ['zstd', zstdCompressSync],
    ['gzip', gzipSync],
    ['xz', (input: Buffer) => byProgram('xz', input)],
    ['bzip2', (input: Buffer) => byProgram('bzip2', input)],
  ] as const) {
    const bytes = compress(text)
    const signal = new AbortController().signal
    const open = () => decompress(chunksOf(bytes), { name, maxBytes: 2 ** 40, signal })
    await measure(`${name}, ${kind} of ${megabytes(bytes.length)} MB`, text.length, () => read(open()))
  }
}

const advisories = makeUpdateinfo(5000)
await measure(
  'updateinfo, 5000 advisories',
  advisories.length,
  async function* () {
    for await (const found of readUpdateinfo(chunksOf(advisories))) yield { packages: found }
  },
  5000,
)
const modules = makeModules(1000)
await measure(
  'modules, 1000 streams',
  modules.length,
  async function* () {
    for await (const found of readModules(chunksOf(modules))) yield { packages: [found] }
  },
  1000,
)

function byProgram(program: string, input: Buffer): Buffer {
  return spawnSync(program, ['-3', '-c'], { input, maxBuffer: 2 ** 30 }).stdout
}

async function* chunksOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 65536) yield bytes.subarray(at, at + 65536)
}

async function measure(
  what: string,
  sizeBytes: number,
  read: () => ReturnType<Reader>,
  wanted = packages,
): Promise<void> {
  const start = performance.now()
  const before = process.cpuUsage()
  let count = 0
  for await (const batch of read()) count += batch.packages.length
  const ms = performance.now() - start
  const { user, system } = process.cpuUsage(before)
  if (count !== wanted) throw new Error(`${what}: ${count} packages`)
  const rate = `${megabytes((sizeBytes / ms) * 1000)} MB/s, ${((user + system) / 1e6).toFixed(1)} s of CPU`
  console.log(
    `${what}: ${megabytes(sizeBytes)} MB in ${(ms / 1000).toFixed(2)} s, ${rate}, RSS ${megabytes(process.memoryUsage.rss())} MB`,
  )
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0)
}
