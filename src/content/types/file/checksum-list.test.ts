import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type ChecksumEntry, parseChecksumList } from './checksum-list.ts'

const digest = 'ab'.repeat(32)

async function parse(text: string | Uint8Array, chunkBytes = 7): Promise<ChecksumEntry[]> {
  const bytes = Buffer.from(text)
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes)
  }
  return Array.fromAsync(parseChecksumList(chunks()))
}

describe('parseChecksumList()', () => {
  for (const [what, line, path] of [
    ['text mode', `${digest}  a b.iso`, 'a b.iso'],
    ['binary mode', `${digest} *sub/ü.iso`, 'sub/ü.iso'],
    ['upper case', `${digest.toUpperCase()}  a`, 'a'],
    ['the tagged form', `SHA256 (a (1) = b.iso) = ${digest}`, 'a (1) = b.iso'],
    ['a name with a star', `${digest}  *a`, '*a'],
    ['a dot before the name', `${digest}  ./a`, 'a'],
    ['CRLF', `${digest}  a\r`, 'a'],
  ] as const) {
    it(`reads ${what}`, async () => {
      for (const size of [1, 3, 1000])
        assert.deepEqual(await parse(`${line}\n`, size), [{ path, sha256: digest }], String(size))
    })
  }

  it('passes over comments and empty lines, and needs no line feed at the end', async () => {
    const entries = await parse(`# made by hand\n\n  \n${digest}  a\r\n\n${digest} *b`)

    assert.deepEqual(
      entries.map(({ path }) => path),
      ['a', 'b'],
    )
    assert.deepEqual(await parse(''), [])
  })

  for (const [what, line, message] of [
    ['a parent folder', `${digest}  ../a`, /"\.\.\/a"/],
    ['a hidden parent folder', `${digest}  .//../a`, /"\/\.\.\/a"/],
    ['an absolute path', `${digest}  /etc/passwd`, /absolute/],
    ['an escaped line feed', `\\${digest}  a\\nb`, /control/],
    ['an escaped carriage return', `\\${digest}  a\\rb`, /control/],
    ['an escaped backslash', `\\${digest}  a\\\\b`, /backslash/],
    ['an escaped backslash in the tagged form', `\\SHA256 (a\\\\nb) = ${digest}`, /backslash/],
    ['NUL', `${digest}  a\0b`, /control/],
    ['a carriage return inside', `${digest}  a\rb`, /control|neither/],
    ['a comma', `${digest}  a,b`, /comma/],
    ['the name of the manifest', `${digest}  PULP_MANIFEST`, /manifest/],
    ['a short digest', 'abcd  a', /neither/],
    ['a digest of another kind', `SHA512 (a) = ${digest}${digest}`, /neither/],
    ['no name', `${digest}  `, /neither/],
    ['one blank', `${digest} a`, /neither/],
    ['HTML', '<html>', /neither/],
    ['a blank at the end', `${digest}  a `, /blank/],
    ['a line of a megabyte', `${digest}  ${'a'.repeat(1_000_000)}`, /longer than 4096/],
  ] as const) {
    it(`refuses ${what} and names the line`, async () => {
      for (const size of [1000, 10_000_000])
        await assert.rejects(
          parse(`${digest}  ok\n${line}\n`, size),
          (error: Error & { code: string; cause?: Error }) => {
            assert.equal(error.code, 'upstream')
            assert.match(error.message, /line 2/)
            assert.match(`${error.message} ${error.cause?.message}`, message)
            return true
          },
        )
    })
  }

  it('refuses a name that is given twice, and what is not UTF-8', async () => {
    await assert.rejects(parse(`${digest}  a\n${digest} *./a\n`), { message: /line 2 names "a" a second time/ })
    await assert.rejects(parse(Buffer.concat([Buffer.from(`${digest}  `), Buffer.from([0xff, 0x0a])])), {
      code: 'upstream',
      message: /UTF-8/,
    })
  })
})
