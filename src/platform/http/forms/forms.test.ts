import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { formParts } from './form-parts.ts'

const allBytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function read(type: string, bytes: Buffer, size: number): Promise<[string, string | undefined, Buffer][]> {
  const found: [string, string | undefined, Buffer][] = []
  for await (const { name, filename, body } of formParts(type, inPieces(bytes, size))) {
    found.push([name, filename, Buffer.concat(await Array.fromAsync(body))])
  }
  return found
}

describe('a multipart form', () => {
  const type = 'multipart/form-data; boundary="x--y"'
  const tricky = Buffer.concat([Buffer.from('\r\n--x--\r\n--x-\r\n'), allBytes, Buffer.from('\r\n--x--')])
  const form = Buffer.concat([
    Buffer.from('--x--y\r\nContent-Disposition: form-data; name="offset"\r\n\r\n0\r\n'),
    Buffer.from('--x--y\r\ncontent-disposition: form-data; name="content"\r\n\r\n'),
    tricky,
    Buffer.from(
      '\r\n--x--y\r\nContent-Disposition: form-data; name="content[]"; filename="a \\"b\\" %22ü.txt"\r\nX: y\r\n\r\n\r\n--x--y--\r\nepilogue',
    ),
  ])

  for (const size of [1, 2, 3, 7, 64, 100_000]) {
    it(`gives every part byte for byte when it comes in pieces of ${size}`, async () => {
      assert.deepEqual(await read(type, form, size), [
        ['offset', undefined, Buffer.from('0')],
        ['content', undefined, tricky],
        ['content[]', 'a "b" "ü.txt', Buffer.alloc(0)],
      ])
    })
  }

  it('skips what a reader leaves of a part', async () => {
    const names: string[] = []
    for await (const { name, body } of formParts(type, inPieces(form, 5))) {
      for await (const _ of body) break
      names.push(name)
    }
    assert.deepEqual(names, ['offset', 'content', 'content[]'])
  })

  for (const [what, given, text] of [
    ['is cut off', type, '--x--y\r\nContent-Disposition: form-data; name="a"\r\n\r\nabc'],
    ['has a part without a name', type, '--x--y\r\nContent-Disposition: form-data\r\n\r\nabc\r\n--x--y--'],
    ['has endless headers', type, `--x--y\r\n${'a: b\r\n'.repeat(10_000)}`],
    ['has no boundary', 'multipart/form-data', ''],
    ['is empty', type, ''],
  ] as const) {
    it(`is refused when it ${what}`, async () => {
      await assert.rejects(async () => read(given, Buffer.from(text), 10), { code: 'malformed' })
    })
  }
})

describe('an urlencoded form', () => {
  const type = 'application/x-www-form-urlencoded; charset=utf-8'
  const encoded = [...allBytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')

  for (const size of [1, 2, 3, 7, 100_000]) {
    it(`gives every field byte for byte when it comes in pieces of ${size}`, async () => {
      assert.deepEqual(await read(type, Buffer.from(`content=${encoded}+a=b&offset=12&one=0&empty=`), size), [
        ['content', undefined, Buffer.concat([allBytes, Buffer.from(' a=b')])],
        ['offset', undefined, Buffer.from('12')],
        ['one', undefined, Buffer.from('0')],
        ['empty', undefined, Buffer.alloc(0)],
      ])
    })
  }

  it('may be empty', async () => {
    assert.deepEqual(await read(type, Buffer.alloc(0), 1), [])
  })

  for (const text of ['a=%', 'a=%4', 'a=%zz', 'a=%%', '%ff=1']) {
    it(`is refused for ${text}`, async () => {
      await assert.rejects(read(type, Buffer.from(text), 10), { code: 'malformed' })
    })
  }
})
