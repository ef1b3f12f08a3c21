/** Writes rpms that rpmbuild cannot make: old ones, broken ones, hostile ones. */

/** One value of a header; numbers are of type 3 to 5, texts of type 6, 8 and 9, bytes of type 7. */
export type HeaderValue = readonly [
  tag: number,
  type: number,
  value: string | readonly string[] | readonly number[] | Buffer,
]

export interface RpmParts {
  readonly signature: readonly HeaderValue[]
  readonly main: readonly HeaderValue[]
  readonly payload?: Buffer
  readonly isSource?: boolean
}

/** What every package has. */
export const leastMain: readonly HeaderValue[] = [
  [1000, 6, 'least'],
  [1001, 6, '1.0'],
  [1002, 6, '1'],
  [1022, 6, 'noarch'],
  [1044, 6, 'least-1.0-1.src.rpm'],
]

export const leastSignature: readonly HeaderValue[] = [[1000, 4, [0]]]

export function rpmBytes({ signature, main, payload = Buffer.alloc(0), isSource = false }: RpmParts): Buffer {
  const first = headerBytes(signature)
  return Buffer.concat([leadBytes(isSource), first, Buffer.alloc(-first.length & 7), headerBytes(main), payload])
}

export function leadBytes(isSource = false): Buffer {
  const lead = Buffer.alloc(96)
  lead.writeUInt32BE(0xedabeedb, 0)
  lead.writeUInt8(3, 4)
  lead.writeUInt16BE(isSource ? 1 : 0, 6)
  lead.writeUInt16BE(5, 78)
  return lead
}

export function headerBytes(values: readonly HeaderValue[]): Buffer {
  const index: Buffer[] = []
  const store: Buffer[] = []
  let offset = 0
  for (const [tag, type, value] of values) {
    const size = { 3: 2, 4: 4, 5: 8 }[type] ?? 1
    const padding = -offset & (size - 1)
    const bytes = storedValue(type, value)
    store.push(Buffer.alloc(padding), bytes)
    index.push(indexEntry(tag, type, offset + padding, typeof value === 'string' ? 1 : value.length))
    offset += padding + bytes.length
  }
  return Buffer.concat([introOf(values.length, offset), ...index, ...store])
}

/** The beginning of a header that says of itself what is given. */
export function introOf(entries: number, storeBytes: number): Buffer {
  const intro = Buffer.alloc(16)
  intro.writeUInt32BE(0x8eade801, 0)
  intro.writeUInt32BE(entries, 8)
  intro.writeUInt32BE(storeBytes, 12)
  return intro
}

export function indexEntry(...numbers: readonly [tag: number, type: number, offset: number, count: number]): Buffer {
  const entry = Buffer.alloc(16)
  for (const [at, number] of numbers.entries()) entry.writeUInt32BE(number >>> 0, at * 4)
  return entry
}

function storedValue(type: number, value: HeaderValue[2]): Buffer {
  if (Buffer.isBuffer(value)) return value
  if (typeof value === 'string') return Buffer.from(`${value}\0`)
  return Buffer.concat(value.map((each) => (typeof each === 'string' ? Buffer.from(`${each}\0`) : integer(type, each))))
}

function integer(type: number, value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(value))
  return bytes.subarray(8 - ({ 3: 2, 4: 4, 5: 8 }[type] ?? 1))
}
