import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { liveBufferBytes } from '../../../../../test/support/live-memory.ts'
import {
  type HeaderValue,
  headerBytes,
  indexEntry,
  introOf,
  leadBytes,
  leastMain,
  leastSignature,
  rpmBytes,
} from '../../../../../test/support/rpm-bytes.ts'
import { SeededRandom } from '../../../../../test/support/seeded-random.ts'
import { AppError } from '../../../../platform/errors.ts'
import { ByteReader } from './byte-reader.ts'
import { describeRpm } from './describe-rpm.ts'
import { parseRpmHeaders, readRpmHeaders } from './read-rpm-headers.ts'
import { verifyRpm } from './verify-rpm.ts'

const file = { sizeBytes: 1, fileTime: 2 }

/** A small package with something of everything. */
function sample(): Buffer {
  const payload = Buffer.from('the payload')
  const main: HeaderValue[] = [
    ...leastMain,
    [1003, 4, [3]],
    [1004, 9, ['Summary', 'Zusammenfassung']],
    [1005, 9, ['Description']],
    [1006, 4, [1_700_000_000]],
    [1030, 3, [0o100644, 0o040755]],
    [1037, 4, [0, 64]],
    [1047, 8, ['a', 'b']],
    [1112, 4, [8, 0]],
    [1113, 8, ['1:2-3', '']],
    [1049, 8, ['rpmlib(X)', 'libc.so.6(GLIBC_2.4)']],
    [1048, 4, [8, 0]],
    [1050, 8, ['1', '']],
    [1080, 4, [20, 10]],
    [1081, 8, ['A', 'B']],
    [1082, 8, ['- a', '- b']],
    [1116, 4, [0, 1]],
    [1117, 8, ['x', 'y']],
    [1118, 8, ['/etc/', '/usr/']],
    [5009, 5, [5_000_000_000]],
    [5092, 8, [createHash('sha256').update(payload).digest('hex')]],
    [5093, 4, [8]],
  ]
  const digest = createHash('sha256').update(headerBytes(main)).digest('hex')
  return rpmBytes({
    signature: [
      [273, 6, digest],
      [268, 7, Buffer.from('88120400160a00000000', 'hex')],
    ],
    main,
    payload,
  })
}

/** Reads all that can be read, in every way; gives the message of the refusal. */
async function refusalOf(bytes: Buffer): Promise<string | undefined> {
  try {
    describeRpm(parseRpmHeaders(bytes), file)
    await verifyRpm(inChunks(bytes))
    return undefined
  } catch (error) {
    assert.ok(error instanceof AppError, String(error instanceof Error ? error.stack : error))
    assert.equal(error.code, 'invalid')
    return error.message
  }
}

async function* inChunks(bytes: Buffer, size = 1000): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

function withMain(...values: readonly HeaderValue[]): Buffer {
  const given = new Set(values.map(([tag]) => tag))
  return rpmBytes({ signature: leastSignature, main: [...leastMain.filter(([tag]) => !given.has(tag)), ...values] })
}

function manyFilesOf(folder: string): readonly HeaderValue[] {
  const count = 20_000
  return [
    [1116, 4, Array(count).fill(0)],
    [1117, 8, Array(count).fill('')],
    [1118, 8, [folder]],
  ]
}

/** A main header whose index and store are exactly these. */
function withRaw(entries: readonly Buffer[], store: Buffer): Buffer {
  const signature = headerBytes(leastSignature)
  const main = [introOf(entries.length, store.length), ...entries, store]
  return Buffer.concat([leadBytes(), signature, Buffer.alloc(-signature.length & 7), ...main])
}

describe('a package that was changed', () => {
  it('is as it should be before', async () => {
    assert.equal(await refusalOf(sample()), undefined)
  })

  it('is refused when it ends anywhere earlier', async () => {
    const bytes = sample()
    for (let length = 0; length < bytes.length; length += 1) {
      assert.ok(await refusalOf(bytes.subarray(0, length)), `of ${length} bytes`)
    }
  })

  it('is read or refused, whichever byte differs', async () => {
    const bytes = sample()
    const random = new SeededRandom(4)
    for (let at = 0; at < bytes.length; at += 1) {
      for (const value of [0, 1, 0x7f, 0x80, 0xff, random.below(256)]) {
        const changed = Buffer.from(bytes)
        changed[at] = value
        await refusalOf(changed)
      }
    }
  })

  it('is read or refused, whichever several bytes differ', async () => {
    const bytes = sample()
    const random = new SeededRandom(5)
    for (let round = 0; round < 5000; round += 1) {
      const changed = Buffer.from(bytes)
      for (let number = random.below(12); number >= 0; number -= 1) {
        changed[96 + random.below(bytes.length - 96)] = random.pick([0, 1, 2, 8, 255, random.below(256)])
      }
      await refusalOf(changed)
    }
  })

  it('is refused whichever byte of the main header or the payload differs', async () => {
    const bytes = sample()
    const { range } = parseRpmHeaders(bytes)
    for (let at = range.start; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] as number) ^ 0x20
      assert.ok(await refusalOf(changed), `byte ${at}`)
    }
  })
})

describe('a package is refused', () => {
  const name = Buffer.from('name\0')
  const outside: readonly (readonly [string, Buffer, RegExp])[] = [
    ['that is something else', Buffer.alloc(1000, 'x'), /is no rpm/],
    ['of another version', Buffer.concat([Buffer.from('edabeedb05', 'hex'), Buffer.alloc(200)]), /version 5/],
    ['without headers', Buffer.concat([leadBytes(), Buffer.alloc(100)]), /no header/],
    ['with too many entries', withRaw([introOf(65_536, 10)], name).fill(introOf(65_536, 10), 96, 112), /65536 entries/],
    ['with no entries', withRaw([], name), /0 entries/],
    ['with values behind its store', withRaw([indexEntry(1000, 6, 6, 1)], name), /not in its header/],
    ['with values before its store', withRaw([indexEntry(1000, 6, -1, 1)], name), /not in its header/],
    ['with values that end behind its store', withRaw([indexEntry(1000, 7, 1, 5)], name), /overlap others or the end/],
    ['with values that overlap', withRaw([indexEntry(1, 7, 0, 3), indexEntry(2, 7, 2, 2)], name), /overlap/],
    ['with values at one place', withRaw([indexEntry(1, 6, 0, 1), indexEntry(2, 6, 0, 1)], name), /overlap/],
    ['with negative counts', withRaw([indexEntry(1, 8, 0, -1)], name), /4294967295 values/],
    ['with counts beyond its store', withRaw([indexEntry(1, 4, 0, 999_999)], name), /overlap/],
    ['with no values', withRaw([indexEntry(1, 4, 0, 0)], name), /0 values/],
    ['with several values of one text', withRaw([indexEntry(1, 6, 0, 2)], name), /2 values/],
    ['with values of no type', withRaw([indexEntry(1, 0, 0, 1)], name), /of type 0/],
    ['with values of an unknown type', withRaw([indexEntry(1, 10, 0, 1)], name), /of type 10/],
    ['with a tag that is there twice', withRaw([indexEntry(1, 7, 0, 1), indexEntry(1, 7, 1, 1)], name), /twice/],
    ['with a text without end', withRaw([indexEntry(1000, 6, 0, 1)], Buffer.from('name')), /has no end/],
    ['with texts without end', withMain([1047, 8, Buffer.from('a\0b')]), /has no end/],
    ['with fewer texts than it says', withMain([1117, 7, Buffer.from('a\0')]), /of type 7/],
    ['with a number as its name', withMain([1000, 4, [1]]), /of type 4/],
    ['without a name', withMain([1000, 6, '']), /no name/],
    ['with a path as its name', withMain([1000, 6, '../name']), /name is/],
    ['with a line feed in its version', withMain([1001, 6, '1\n']), /version is/],
    ['with a dash in its release', withMain([1002, 6, '1-2']), /dash/],
    ['with an endless name', withMain([1000, 6, 'n'.repeat(256)]), /longer than 255/],
    ['with a folder that is not there', withMain([1116, 4, [1]], [1117, 8, ['x']], [1118, 8, ['/']]), /folder 1 of 1/],
    ['with files without folders', withMain([1117, 8, ['x']]), /folders/],
    ['with more modes than files', withMain([1027, 8, ['/x']], [1030, 3, [1, 2]]), /modes/],
    ['with more flags than dependencies', withMain([1049, 8, ['x']], [1048, 4, [1, 2]]), /versions/],
    ['with fewer authors than changelogs', withMain([1080, 4, [1, 2]], [1081, 8, ['x']], [1082, 8, ['y']]), /authors/],
    ['with a path longer than any', withMain([1027, 8, [`/${'x'.repeat(4096)}`]]), /path of 4097/],
    [
      'with few bytes that stand for endless paths',
      withMain(...manyFilesOf(`/${'x'.repeat(4000)}/`)),
      /paths of \d{8}/,
    ],
    ['with an endless description', withMain([1005, 6, 'x'.repeat(1024 * 1024 + 1)]), /1048577 bytes/],
    ['with an endless dependency', withMain([1047, 8, ['x'.repeat(10_001)]]), /more than 10000/],
    ['with endless dependencies', withMain([1047, 8, Array(100_001).fill('')]), /100001 provides/],
    ['with an endless author', withMain([1080, 4, [1]], [1081, 8, ['x'.repeat(10_001)]], [1082, 8, ['']]), /author of/],
    [
      'with an endless changelog',
      withMain([1080, 4, [1]], [1081, 8, ['']], [1082, 8, ['x'.repeat(1_048_577)]]),
      /changelog of/,
    ],
    ['with a size that no number can hold', withMain([5009, 5, [2 ** 60]]), /a number of/],
  ]

  for (const [what, bytes, message] of outside) {
    it(what, async () => assert.match((await refusalOf(bytes)) ?? 'it was read', message))
  }

  it('before more is kept than has come', async () => {
    const claims = Buffer.concat([leadBytes(), introOf(65_535, 64 * 1024 * 1024), Buffer.alloc(1000)])
    const before = liveBufferBytes()
    let growth = 0
    async function* source() {
      yield claims
      growth = liveBufferBytes() - before
      yield Buffer.alloc(1000)
    }

    await assert.rejects(readRpmHeaders(new ByteReader(source())), /ends within its headers/)
    assert.ok(growth < 100_000, `${growth} bytes`)
  })

  it('when it says that its store is larger than any', async () => {
    const claims = Buffer.concat([leadBytes(), introOf(1, 64 * 1024 * 1024 + 1), Buffer.alloc(1000)])
    assert.match((await refusalOf(claims)) ?? '', /of 67108865 bytes/)
  })
})

describe('readRpmHeaders()', () => {
  it('takes no more of a stream than the headers, in chunks of any size', async () => {
    const bytes = sample()
    const { range } = parseRpmHeaders(bytes)
    for (const size of [1, 7, 96, 1000]) {
      let asked = 0
      async function* source() {
        for await (const chunk of inChunks(bytes, size)) {
          asked += chunk.length
          yield chunk
        }
      }
      const headers = await readRpmHeaders(new ByteReader(source()))

      assert.deepEqual(headers.range, range)
      assert.ok(asked < range.end + size, `${asked} bytes in chunks of ${size}`)
    }
  })
})
