import type { ByteSource } from '../byte-source.ts'
import type { DecompressorContext } from '../decompressor.ts'
import { BitReader } from './bit-reader.ts'
import { bzip2Crc } from './bzip2-crc.ts'
import { readBlock, type SortedBlock } from './read-block.ts'
import { unsortBlock } from './unsort-block.ts'

/** No block that bzip2 writes is longer, packed: 900,000 symbols of up to 20 bits, and its tables. */
const maxPackedBytes = 2_400_000

const blockMagic = 0x314159265359
const endMagic = 0x177245385090

/** Opens bzip2, which may have several streams. */
export async function* decompressBzip2(source: ByteSource, context: DecompressorContext): AsyncGenerator<Uint8Array> {
  do yield* openStream(source, context)
  while (!(await source.isAtEnd()))
}

async function* openStream(source: ByteSource, context: DecompressorContext): AsyncGenerator<Uint8Array> {
  const parts = new PartReader(source, context)
  let check = 0
  let part = await parts.next()
  while (typeof part !== 'number') {
    if (!(yield* givePieces(part))) throw context.wrong('its check is wrong')
    check = (((check << 1) | (check >>> 31)) ^ part.crc) >>> 0
    part = await parts.next()
  }
  if (part !== check) throw context.wrong('its check is wrong')
}

/** Gives the blocks of a stream, and then the check of all of them. They begin in the midst of bytes. */
class PartReader {
  readonly #source: ByteSource
  readonly #context: DecompressorContext
  #blockBytes = 0
  #bits = 0

  constructor(source: ByteSource, context: DecompressorContext) {
    this.#source = source
    this.#context = context
  }

  async next(): Promise<SortedBlock | number> {
    if (this.#blockBytes === 0) await this.#readHeader()
    const reader = new BitReader(await this.#source.peek(maxPackedBytes), this.#bits)
    const part = readPart(reader, this.#blockBytes)
    if (reader.isPastEnd) throw this.#context.wrong('it ends too early')
    if (part === undefined) throw this.#context.wrong('it is broken')
    await this.#source.read((reader.at + (typeof part === 'number' ? 7 : 0)) >>> 3)
    this.#bits = reader.at & 7
    return part
  }

  async #readHeader(): Promise<void> {
    const header = Buffer.from(await this.#source.read(4)).toString('latin1')
    if (!/^BZh[1-9]$/.test(header)) throw this.#context.wrong('it has something behind its end')
    this.#blockBytes = Number(header[3]) * 100_000
  }
}

/** The next block, or the check of all of them. */
function readPart(reader: BitReader, blockBytes: number): SortedBlock | number | undefined {
  const magic = reader.read(24) * 0x1000000 + reader.read(24)
  if (magic === endMagic) return reader.readWord()
  return magic === blockMagic ? readBlock(reader, blockBytes) : undefined
}

/** Whether they are what the check of their block says. */
function* givePieces(block: SortedBlock): Generator<Uint8Array, boolean> {
  let crc = -1
  for (const piece of unsortBlock(block)) {
    crc = bzip2Crc(crc, piece)
    yield piece
  }
  return ~crc >>> 0 === block.crc
}
