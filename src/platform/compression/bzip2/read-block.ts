import type { BitReader } from './bit-reader.ts'
import { HuffmanTable } from './huffman-table.ts'

const groupSymbols = 50
const maxSelectors = 18_002

/** The bytes of a block, sorted as bzip2 stores them. */
export interface SortedBlock {
  readonly bytes: Uint8Array
  /** Where the first one is. */
  readonly origin: number
  readonly crc: number
}

/** Reads a block behind its magic; undefined when it is broken. */
export function readBlock(reader: BitReader, maxBytes: number): SortedBlock | undefined {
  const crc = reader.readWord()
  const isRandomised = reader.read(1) === 1
  const origin = reader.read(24)
  const used = readUsedBytes(reader)
  const tables = isRandomised || used.length === 0 ? undefined : readTables(reader, used.length + 2)
  const bytes = tables === undefined ? undefined : readSymbols(reader, { ...tables, used, maxBytes })
  return bytes === undefined || origin >= bytes.length ? undefined : { bytes, origin, crc }
}

function readUsedBytes(reader: BitReader): Uint8Array {
  const groups = reader.read(16)
  const used: number[] = []
  for (let group = 0; group < 16; group++) {
    if (((groups >> (15 - group)) & 1) === 0) continue
    const members = reader.read(16)
    for (let member = 0; member < 16; member++)
      if (((members >> (15 - member)) & 1) === 1) used.push(group * 16 + member)
  }
  return Uint8Array.from(used)
}

interface Tables {
  readonly tables: readonly HuffmanTable[]
  /** For each 50 symbols which table they are in. */
  readonly selectors: Uint8Array
}

function readTables(reader: BitReader, symbols: number): Tables | undefined {
  const count = reader.read(3)
  const selectorCount = reader.read(15)
  if (count < 2 || count > 6 || selectorCount === 0) return undefined
  const selectors = readSelectors(reader, count, selectorCount)
  const tables: HuffmanTable[] = []
  for (let table = 0; table < count && selectors !== undefined; table++) {
    const lengths = readLengths(reader, symbols)
    if (lengths !== undefined) tables.push(new HuffmanTable(lengths))
  }
  return selectors === undefined || tables.length < count ? undefined : { tables, selectors }
}

/** More than a block can need are read and forgotten, as bzip2 does. */
function readSelectors(reader: BitReader, tables: number, count: number): Uint8Array | undefined {
  const order = [0, 1, 2, 3, 4, 5]
  const selectors = new Uint8Array(Math.min(count, maxSelectors))
  for (let at = 0; at < count; at++) {
    let place = 0
    while (reader.read(1) === 1) if (++place >= tables) return undefined
    const [table = 0] = order.splice(place, 1)
    order.unshift(table)
    if (at < maxSelectors) selectors[at] = table
  }
  return selectors
}

function readLengths(reader: BitReader, symbols: number): Uint8Array | undefined {
  const lengths = new Uint8Array(symbols)
  let length = reader.read(5)
  for (let symbol = 0; symbol < symbols; symbol++) {
    length = changedLength(reader, length)
    if (length < 1 || length > 20) return undefined
    lengths[symbol] = length
  }
  return lengths
}

function changedLength(reader: BitReader, before: number): number {
  let length = before
  while (length >= 1 && length <= 20 && reader.read(1) === 1) length += reader.read(1) === 0 ? 1 : -1
  return length
}

interface SymbolOptions extends Tables {
  readonly used: Uint8Array
  readonly maxBytes: number
}

/** Undoes the codes, the runs, and the order by last use. */
function readSymbols(reader: BitReader, { tables, selectors, used, maxBytes }: SymbolOptions): Uint8Array | undefined {
  const writer = new SymbolWriter(used, maxBytes)
  for (const selector of selectors) {
    const table = tables[selector] as HuffmanTable
    for (let read = 0; read < groupSymbols; read++) {
      const outcome = writer.take(table.decode(reader))
      if (outcome === 'more' && !reader.isPastEnd) continue
      return outcome === 'end' ? writer.written() : undefined
    }
  }
  return undefined
}

class SymbolWriter {
  readonly #bytes: Uint8Array
  readonly #order: Uint8Array
  readonly #endSymbol: number
  #length = 0
  #run = 0
  #weight = 1

  constructor(used: Uint8Array, maxBytes: number) {
    this.#bytes = new Uint8Array(maxBytes)
    this.#order = Uint8Array.from(used)
    this.#endSymbol = used.length + 1
  }

  take(symbol: number): 'more' | 'end' | 'broken' {
    if (symbol === -1) return 'broken'
    if (symbol < 2) return this.#lengthenRun(symbol) ? 'more' : 'broken'
    if (!this.#endRun()) return 'broken'
    if (symbol === this.#endSymbol) return 'end'
    return this.#add(symbol) ? 'more' : 'broken'
  }

  /** A run is a number whose digits are 1 and 2. False when there is no room for it. */
  #lengthenRun(symbol: number): boolean {
    this.#run += this.#weight << symbol
    this.#weight *= 2
    return this.#run <= this.#bytes.length
  }

  #endRun(): boolean {
    if (this.#run === 0) return true
    const end = this.#length + this.#run
    if (end > this.#bytes.length) return false
    this.#bytes.fill(this.#order[0] as number, this.#length, end)
    this.#length = end
    this.#run = 0
    this.#weight = 1
    return true
  }

  #add(symbol: number): boolean {
    if (this.#length >= this.#bytes.length) return false
    const byte = this.#order[symbol - 1] as number
    this.#order.copyWithin(1, 0, symbol - 1)
    this.#order[0] = byte
    this.#bytes[this.#length++] = byte
    return true
  }

  written(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }
}
