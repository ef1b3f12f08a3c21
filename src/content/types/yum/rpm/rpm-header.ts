import { isUtf8 } from 'node:buffer'
import { withoutControls } from '../packages/write-element.ts'
import { unreadable } from './unreadable-rpm.ts'

/** What stands before the index: magic, and how long index and store are. */
export const introBytes = 16

const magic = 0x8eade801
const entryBytes = 16

/** As rpm itself. */
const maxEntries = 65_535

/** Room for the file list, with signatures of files, of packages far larger than any that is known. */
const maxStoreBytes = 64 * 1024 * 1024

/** Of one tag: more than any package has files. */
const maxItems = 1_000_000

/** Of a text that is alone: more than any description has. */
const maxTextBytes = 1024 * 1024

/** How many bytes an item has, at least, by type: characters, integers of 1, 2, 4 and 8 bytes, text, bytes, texts twice. */
const itemBytes = [0, 1, 1, 2, 4, 8, 1, 1, 1, 1]
const integerTypes = [1, 2, 3, 4, 5]
const textTypes = [6, 8, 9]
const oneText = 6
const binary = 7

interface Entry {
  readonly tag: number
  readonly type: number
  readonly offset: number
  readonly count: number
  /** Where the next entry's values begin. */
  end: number
}

/**
 * How many bytes of index and store follow the intro of a header.
 *
 * @throws AppError `invalid` when it is none, or says that it is larger than any header may be
 */
export function bytesAfterIntro(intro: Buffer): number {
  if (intro.readUInt32BE(0) !== magic) throw unreadable('there is no header where one must be')
  const entries = intro.readUInt32BE(8)
  const storeBytes = intro.readUInt32BE(12)
  if (entries === 0 || entries > maxEntries) throw unreadable(`a header of ${entries} entries`)
  if (storeBytes > maxStoreBytes) throw unreadable(`a header of ${storeBytes} bytes`)
  return entries * entryBytes + storeBytes
}

/**
 * One of the two headers of an rpm: values by tags. Values are decoded when they are asked for, and no byte belongs to
 * two tags, so what a header gives is never much larger than the header. Texts hold no control characters other than
 * tabs, line feeds and carriage returns; what is not UTF-8 is taken for Latin-1.
 */
export class RpmHeader {
  /** All of it, with its intro. */
  readonly bytes: Buffer
  readonly #store: Buffer
  readonly #entries: ReadonlyMap<number, Entry>

  /** @throws AppError `invalid` when the index does not fit the store */
  constructor(bytes: Buffer) {
    const storeStart = introBytes + bytes.readUInt32BE(8) * entryBytes
    this.bytes = bytes
    this.#store = bytes.subarray(storeStart)
    this.#entries = readIndex(bytes.subarray(introBytes, storeStart), this.#store.length)
  }

  has(tag: number): boolean {
    return this.#entries.has(tag)
  }

  /** The text, or the first one of several, which is in the language that all others are translations of. */
  findText(tag: number): string | undefined {
    const entry = this.#find(tag, textTypes)
    if (entry === undefined) return undefined
    const end = this.#store.indexOf(0, entry.offset)
    if (end === -1 || end >= entry.end) throw endless(tag)
    if (end - entry.offset > maxTextBytes) throw unreadable(`the text of tag ${tag} has ${end - entry.offset} bytes`)
    return decode(this.#store.subarray(entry.offset, end))
  }

  /** Empty without the tag. */
  listTexts(tag: number): readonly string[] {
    const entry = this.#find(tag, textTypes)
    if (entry === undefined) return []
    const bytes = this.#store.subarray(entry.offset, entry.end)
    const isText = isUtf8(bytes)
    const texts = bytes.toString(isText ? 'utf8' : 'latin1').split('\0', entry.count + 1)
    // What follows the last end is padding, or nothing.
    if (texts.length <= entry.count) throw endless(tag)
    texts.pop()
    return texts.map(isText ? withoutControls : (text) => decode(Buffer.from(text, 'latin1')))
  }

  /** The first one of several. */
  findNumber(tag: number): number | undefined {
    const entry = this.#find(tag, integerTypes)
    return entry && readNumber(this.#store, entry.offset, itemBytes[entry.type] as number)
  }

  /** How many values the tag has. */
  countOf(tag: number): number {
    return this.#entries.get(tag)?.count ?? 0
  }

  /** Empty without the tag. */
  listNumbers(tag: number): readonly number[] {
    const entry = this.#find(tag, integerTypes)
    if (entry === undefined) return []
    const size = itemBytes[entry.type] as number
    return Array.from({ length: entry.count }, (_, at) => readNumber(this.#store, entry.offset + at * size, size))
  }

  findBytes(tag: number): Buffer | undefined {
    const entry = this.#find(tag, [binary])
    return entry === undefined ? undefined : this.#store.subarray(entry.offset, entry.offset + entry.count)
  }

  #find(tag: number, types: readonly number[]): Entry | undefined {
    const entry = this.#entries.get(tag)
    if (entry === undefined || types.includes(entry.type)) return entry
    throw unreadable(`tag ${tag} is of type ${entry.type}`)
  }
}

function readIndex(index: Buffer, storeBytes: number): ReadonlyMap<number, Entry> {
  const entries: Entry[] = []
  for (let at = 0; at < index.length; at += entryBytes) entries.push(readEntry(index, at, storeBytes))
  entries.sort((a, b) => a.offset - b.offset)
  for (const [at, entry] of entries.entries()) {
    entry.end = entries[at + 1]?.offset ?? storeBytes
    const needed = entry.count * (itemBytes[entry.type] as number)
    if (entry.offset + needed > entry.end) throw unreadable(`the values of tag ${entry.tag} overlap others or the end`)
  }
  const byTag = new Map(entries.map((entry) => [entry.tag, entry]))
  if (byTag.size < entries.length) throw unreadable('a tag is there twice')
  return byTag
}

function readEntry(index: Buffer, at: number, storeBytes: number): Entry {
  const tag = index.readUInt32BE(at)
  const type = index.readUInt32BE(at + 4)
  const offset = index.readUInt32BE(at + 8)
  const count = index.readUInt32BE(at + 12)
  if (type === 0 || type >= itemBytes.length) throw unreadable(`tag ${tag} is of type ${type}`)
  if (count === 0 || count > (type === binary ? storeBytes : maxItems))
    throw unreadable(`tag ${tag} has ${count} values`)
  if (type === oneText && count !== 1) throw unreadable(`tag ${tag} has ${count} values`)
  if (offset > storeBytes) throw unreadable(`the values of tag ${tag} are not in its header`)
  return { tag, type, offset, count, end: storeBytes }
}

function readNumber(store: Buffer, at: number, size: number): number {
  if (size < 8) return store.readUIntBE(at, size)
  const number = Number(store.readBigUInt64BE(at))
  if (!Number.isSafeInteger(number)) throw unreadable(`a number of ${number}`)
  return number
}

function decode(bytes: Buffer): string {
  return withoutControls(bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1'))
}

function endless(tag: number): Error {
  return unreadable(`a text of tag ${tag} has no end`)
}
