import { crc32 } from 'node:zlib'
import type { ByteSource } from '../byte-source.ts'
import type { DecompressorContext } from '../decompressor.ts'
import { openLzma2 } from './lzma2.ts'
import { littleEndian, type XzCheck, xzChecks } from './xz-check.ts'
import { parseBlockHeader, readVarint } from './xz-header.ts'

const early = 'it ends too early'
const broken = 'it is broken'
const maxBlocks = 1_000_000

/** A block as the index at the end must name it. */
interface SeenBlock {
  readonly packedBytes: number
  readonly sizeBytes: number
}

/** Opens the format .xz (version 1.2), which may have several streams with zeros between them. */
export async function* decompressXz(source: ByteSource, context: DecompressorContext): AsyncGenerator<Uint8Array> {
  do {
    yield* openStream(source, context)
    await passPadding(source, context)
  } while (!(await source.isAtEnd()))
}

async function* openStream(source: ByteSource, context: DecompressorContext): AsyncGenerator<Uint8Array> {
  const header = Buffer.from(await readExactly(source, 12, context))
  const isHeader = header.subarray(0, 6).toString('hex') === 'fd377a585a00'
  if (!isHeader || !littleEndian(crc32(header.subarray(6, 8))).equals(header.subarray(8))) {
    throw context.wrong('it has something behind its end, or a broken beginning')
  }
  const check = header[6] === 0 ? xzChecks[header[7] as number] : undefined
  if (check === undefined) throw context.wrong('it has a check that is not known')
  const seen: SeenBlock[] = []
  while ((await source.peek(1))[0] !== 0) {
    if (seen.length === maxBlocks) throw context.wrong(`it has more than ${maxBlocks} blocks`)
    seen.push(yield* openBlock(source, check, context))
  }
  const indexBytes = await readIndex(source, seen, context)
  const footer = Buffer.from(await readExactly(source, 12, context))
  const ending = Buffer.concat([littleEndian(indexBytes / 4 - 1), header.subarray(6, 8)])
  const expected = Buffer.concat([littleEndian(crc32(ending)), ending, Buffer.from('YZ')])
  if (!footer.equals(expected)) throw context.wrong(broken)
}

async function* openBlock(
  source: ByteSource,
  check: XzCheck,
  context: DecompressorContext,
): AsyncGenerator<Uint8Array, SeenBlock> {
  const from = source.readBytes
  const [first] = await source.peek(1)
  if (first === undefined) throw context.wrong(early)
  const header = parseBlockHeader(Buffer.from(await readExactly(source, (first + 1) * 4, context)))
  if (typeof header === 'string') throw context.wrong(header)
  const running = check.begin()
  const packedFrom = source.readBytes
  let sizeBytes = 0
  for await (const chunk of openLzma2(source, header.dictionaryBytes, context)) {
    sizeBytes += chunk.length
    running.add(chunk)
    yield chunk
  }
  const packedBytes = source.readBytes - packedFrom
  await passZeros(source, (4 - (packedBytes % 4)) % 4, context)
  const isProven = running.digest().equals(await readExactly(source, check.sizeBytes, context))
  const isAsSaid = (header.packedBytes ?? packedBytes) === packedBytes && (header.sizeBytes ?? sizeBytes) === sizeBytes
  if (!isProven || !isAsSaid) throw context.wrong('its check is wrong')
  return { packedBytes: packedFrom - from + packedBytes + check.sizeBytes, sizeBytes }
}

/** Gives how long the index is. */
async function readIndex(
  source: ByteSource,
  seen: readonly SeenBlock[],
  context: DecompressorContext,
): Promise<number> {
  const from = source.readBytes
  const written: Uint8Array[] = []
  const expect = async (value: number) => {
    const bytes = Buffer.from(await source.peek(9))
    const found = readVarint(bytes, 0)
    if (found?.value !== value) throw context.wrong(bytes.length < 9 ? early : broken)
    written.push(Buffer.from(await source.read(found.end)))
  }
  await expect(0)
  await expect(seen.length)
  for (const { packedBytes, sizeBytes } of seen) {
    await expect(packedBytes)
    await expect(sizeBytes)
  }
  const padding = (4 - ((source.readBytes - from) % 4)) % 4
  await passZeros(source, padding, context)
  const value = crc32(Buffer.concat([...written, Buffer.alloc(padding)]))
  if (!littleEndian(value).equals(await readExactly(source, 4, context))) throw context.wrong(broken)
  return source.readBytes - from
}

async function passPadding(source: ByteSource, context: DecompressorContext): Promise<void> {
  while ((await source.peek(1))[0] === 0) await passZeros(source, 4, context)
}

async function passZeros(source: ByteSource, count: number, context: DecompressorContext): Promise<void> {
  const bytes = await readExactly(source, count, context)
  if (bytes.some((byte) => byte !== 0)) throw context.wrong(broken)
}

async function readExactly(source: ByteSource, count: number, { wrong }: DecompressorContext): Promise<Uint8Array> {
  const bytes = await source.read(count)
  if (bytes.length < count) throw wrong(early)
  return bytes
}
