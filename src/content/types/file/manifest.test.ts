import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { formatEntry, type ManifestEntry, parseManifest } from './manifest.ts'

const digest = 'ab'.repeat(32)

async function parse(text: string | Uint8Array, chunkBytes = 7): Promise<ManifestEntry[]> {
  const bytes = Buffer.from(text)
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes)
  }
  return Array.fromAsync(parseManifest(chunks()))
}

describe('parseManifest()', () => {
  it('gives path, digest and size of each line, wherever the bytes are cut', async () => {
    const text = `a.iso,${digest},12\nsub/ü.txt,${digest.toUpperCase()},0\n`

    for (const size of [1, 2, 3, 1000]) {
      assert.deepEqual(await parse(text, size), [
        { path: 'a.iso', sha256: digest, sizeBytes: 12 },
        { path: 'sub/ü.txt', sha256: digest, sizeBytes: 0 },
      ])
    }
  })

  it('takes a last line without a line feed, CRLF, and an empty manifest', async () => {
    assert.equal((await parse(`a,${digest},1\r\nb,${digest},2`)).length, 2)
    assert.deepEqual(await parse(''), [])
  })

  for (const [what, line] of [
    ['a parent folder', `../a,${digest},1`],
    ['a parent folder inside', `x/../../a,${digest},1`],
    ['an absolute path', `/etc/passwd,${digest},1`],
    ['NUL', `a\0b,${digest},1`],
    ['a backslash', `a\\b,${digest},1`],
    ['an empty part', `a//b,${digest},1`],
    ['no path', `,${digest},1`],
    ['a dot', `./a,${digest},1`],
    ['too few fields', `a,${digest}`],
    ['a comma in the path', `a,b,${digest},1`],
    ['a short digest', 'a,abcd,1'],
    ['a negative size', `a,${digest},-1`],
    ['a size that is no number', `a,${digest},1e3`],
    ['a very long path', `${'a/'.repeat(1000)}a,${digest},1`],
  ] as const) {
    it(`refuses a line with ${what} and names it`, async () => {
      await assert.rejects(parse(`ok,${digest},1\n${line}\n`), { code: 'upstream', message: /line 2/ })
    })
  }

  it('refuses a path that is given twice', async () => {
    await assert.rejects(parse(`a,${digest},1\na,${digest},1\n`), { code: 'upstream', message: /"a" a second time/ })
  })

  it('refuses what is not UTF-8, and a line without end', async () => {
    await assert.rejects(parse(Buffer.from([0x61, 0xff, 0x0a])), { code: 'upstream', message: /UTF-8/ })
    await assert.rejects(parse('a'.repeat(10_000)), { code: 'upstream', message: /longer/ })
  })

  it('refuses more than a million files as soon as they are named', async () => {
    let read = 0
    async function* endless() {
      for (;;) {
        read += 1000
        yield Buffer.from(Array.from({ length: 1000 }, (_, index) => `${read + index},${digest},1\n`).join(''))
      }
    }
    const count = async () => {
      for await (const _ of parseManifest(endless()));
    }

    await assert.rejects(count, { code: 'upstream', message: /more than 1000000 files/ })
    assert.equal(read, 1_001_000)
  })

  it('reads what formatEntry() writes', async () => {
    const entry = { path: 'x/y z', sha256: digest, sizeBytes: 9_000_000_000_000 }

    assert.deepEqual(await parse(formatEntry(entry)), [entry])
  })
})
