import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { constants, createZstdCompress, gzipSync, zstdCompressSync } from 'node:zlib'
import { lacksProgram } from '../../../test/support/programs.ts'
import { SeededRandom } from '../../../test/support/seeded-random.ts'
import { AppError } from '../errors.ts'
import { decompress } from './decompress.ts'

const random = new SeededRandom(1)
const lines = Array.from({ length: 9000 }, (_, index) => `<file>/usr/share/${index % 90}/${random.below(99)}</file>\n`)
const text = Buffer.from(`${lines.join('')}${'aaaa'.repeat(9000)}\0\x01`)
const small = Buffer.from('Some words, some words, some words.\n'.repeat(3))

interface Format {
  readonly name: string
  readonly skip: string | false
  compress(bytes: Uint8Array): Buffer
}

function byProgram(name: string, program: string, args: readonly string[]): Format {
  const options = { maxBuffer: 2 ** 30 }
  return {
    name,
    skip: lacksProgram(program),
    compress: (input) => execFileSync(program, args, { input, ...options }),
  }
}

const formats: readonly Format[] = [
  { name: 'gzip', skip: false, compress: (bytes) => gzipSync(bytes) },
  { name: 'zstd', skip: false, compress: (bytes) => zstdCompressSync(bytes) },
  byProgram('zstd with a check', 'zstd', ['-c', '-19']),
  byProgram('xz', 'xz', ['-c']),
  byProgram('xz at its highest', 'xz', ['-9e', '-c']),
  byProgram('xz in blocks', 'xz', ['-T2', '-0', '-c', '--block-size=50000', '--check=sha256']),
  byProgram('xz with odd literals', 'xz', ['-c', '--check=crc32', '--lzma2=preset=1,lc=1,lp=3,pb=0,dict=4KiB']),
  byProgram('xz without check', 'xz', ['-c', '--check=none']),
  byProgram('bzip2', 'bzip2', ['-c']),
  byProgram('bzip2 in small blocks', 'bzip2', ['-c', '-1']),
  byProgram('lzma', 'xz', ['--format=lzma', '-c']),
]

async function open(bytes: Uint8Array, { chunkBytes = 65536, maxBytes = 2 ** 30 } = {}): Promise<Buffer> {
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes)
  }
  const { signal } = new AbortController()
  return Buffer.concat(await Array.fromAsync(decompress(chunks(), { name: 'x.xml', maxBytes, signal })))
}

/** What comes out when bytes are refused with a proper error. */
async function outcome(bytes: Uint8Array): Promise<Buffer | string> {
  try {
    return await open(bytes, { maxBytes: 2 ** 24 })
  } catch (error) {
    assert.ok(error instanceof AppError, String(error))
    assert.equal(error.code, 'upstream')
    return error.message
  }
}

describe('decompress()', () => {
  for (const { name, skip, compress } of formats) {
    it(`opens ${name}, wherever it is cut`, { skip }, async () => {
      const bytes = compress(text)

      for (const chunkBytes of [1, 7, 1000, 10_000_000]) assert.ok((await open(bytes, { chunkBytes })).equals(text))
      assert.deepEqual(await open(compress(Buffer.alloc(0))), Buffer.alloc(0))
      assert.ok((await open(compress(small))).equals(small))
    })

    it(`refuses ${name} that ends too early, and what is behind its end`, { skip }, async () => {
      const bytes = compress(small)
      // in fewer bytes it cannot be told from something that is not compressed
      for (let length = 7; length < bytes.length; length += name === 'lzma' ? 20 : 1)
        assert.equal(typeof (await outcome(bytes.subarray(0, length))), 'string', `${length} bytes`)

      for (const behind of ['\0', 'x', 'garbage behind the end'])
        assert.equal(typeof (await outcome(Buffer.concat([bytes, Buffer.from(behind)]))), 'string', behind)
    })

    it(`refuses ${name} that becomes more than is wanted`, { skip }, async () => {
      const bomb = compress(Buffer.alloc(5_000_000, 'a few words'))

      await assert.rejects(open(bomb, { maxBytes: 1_000_000 }), {
        code: 'upstream',
        message: 'Cannot open x.xml: it has more than 1000000 bytes',
      })
    })

    if (name !== 'lzma')
      it(`gives what was meant, or refuses it, when any byte of ${name} is wrong`, { skip }, async () => {
        const bytes = compress(small)
        const seeded = new SeededRandom(7)
        for (let round = 0; round < 400; round++) {
          const wrong = Buffer.from(bytes)
          wrong[seeded.below(wrong.length)] = seeded.below(256)
          const found = await outcome(wrong)
          const isUnchecked =
            name === 'zstd' || name === 'xz without check' || !wrong.subarray(0, 6).equals(bytes.subarray(0, 6))
          assert.ok(typeof found === 'string' || isUnchecked || found.equals(small), String(found))
        }
      })
  }

  for (const name of ['gzip', 'zstd', 'xz', 'bzip2']) {
    const { skip, compress } = formats.find((format) => format.name === name) as Format
    it(`opens several parts of ${name} one after the other`, { skip }, async () => {
      const parts = Buffer.concat([compress(small), compress(text), compress(small)])

      for (const chunkBytes of [1, 100, 10_000_000])
        assert.ok((await open(parts, { chunkBytes })).equals(Buffer.concat([small, text, small])))
    })
  }

  it('refuses xz that needs much memory, or filters that metadata has no use for', {
    skip: lacksProgram('xz'),
  }, async () => {
    for (const [args, problem] of [
      [['--lzma2=dict=128MiB'], /memory/],
      [['--x86', '--lzma2=preset=1'], /filters/],
    ] as const) {
      const bytes = byProgram('xz', 'xz', ['-c', ...args]).compress(small)

      await assert.rejects(open(bytes), { code: 'upstream', message: problem })
    }
  })

  it('names the program that is missing', async () => {
    const path = process.env['PATH']
    process.env['PATH'] = '/nowhere'
    try {
      await assert.rejects(open(Buffer.from('5d000080000000', 'hex')), { code: 'unavailable', message: /program xz/ })
    } finally {
      process.env['PATH'] = path
    }
  })

  it('opens neither zstd of too large a window nor frames without end', async () => {
    const empty = zstdCompressSync(Buffer.alloc(0))
    const many = Buffer.concat(Array.from({ length: 2000 }, () => empty))
    assert.equal((await open(many)).length, 0)

    const params = { [constants.ZSTD_c_windowLog]: 30, [constants.ZSTD_c_contentSizeFlag]: 0 }
    const stream = createZstdCompress({ params })
    stream.end(Buffer.alloc(3_000_000, 'abc'))
    const wide = Buffer.concat(await Array.fromAsync(stream as AsyncIterable<Buffer>))
    await assert.rejects(open(wide), { code: 'upstream', message: /memory|window/i })
  })

  it('gives what is not compressed as it is', async () => {
    for (const plain of ['', '<', '<?xml version="1.0"?>', 'BZ', '\x1f', 'BZh0 is a word'])
      assert.equal((await open(Buffer.from(plain), { chunkBytes: 1 })).toString(), plain)
  })

  it('is ended by a signal, and tells the source when its reader goes', async () => {
    for (const { skip, compress } of formats) {
      if (skip !== false) continue
      const bytes = compress(text)
      let isClosed = false
      async function* source() {
        try {
          for (;;) yield bytes
        } finally {
          isClosed = true
        }
      }
      const controller = new AbortController()
      const options = { name: 'x', maxBytes: 2 ** 40, signal: controller.signal }
      for await (const _ of decompress(source(), options)) break
      assert.ok(isClosed)

      const reason = new Error('ended')
      await assert.rejects(async () => {
        for await (const _ of decompress(source(), options)) controller.abort(reason)
      }, reason)
    }
  })

  it('tells what broke in the source', async () => {
    for (const { skip, compress } of formats) {
      if (skip !== false) continue
      async function* source() {
        yield compress(text).subarray(0, 100)
        throw new AppError('upstream', 'the line broke')
      }
      const reading = Array.fromAsync(
        decompress(source(), { name: 'x', maxBytes: 2 ** 40, signal: new AbortController().signal }),
      )
      await assert.rejects(reading, { message: 'the line broke' })
    }
  })

  it('reads no further than its reader', async () => {
    const noise = randomBytes(4_000_000)
    for (const { name, skip, compress } of formats) {
      if (skip !== false || name.includes(' ')) continue
      const bytes = compress(noise)
      let readBytes = 0
      async function* source() {
        for (let at = 0; at < bytes.length; at += 10_000) {
          readBytes = at
          yield bytes.subarray(at, at + 10_000)
        }
      }
      const reader = decompress(source(), { name, maxBytes: 2 ** 40, signal: new AbortController().signal })
      await reader.next()
      await new Promise((resolve) => setImmediate(resolve))

      assert.ok(readBytes < 3_000_000, `${name} read ${readBytes}`)
      await reader.return()
    }
  })
})
