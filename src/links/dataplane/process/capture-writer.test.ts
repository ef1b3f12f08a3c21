import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { pcapHeader } from '../pcap-format.ts'
import { CaptureWriter } from './capture-writer.ts'

describe('CaptureWriter', () => {
  let folder = ''
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'backhaul-writer-'))
  })
  after(() => rm(folder, { recursive: true }))

  const options = () => {
    const written: ArrayBuffer[] = []
    const failures: string[] = []
    return {
      written,
      failures,
      onWritten: (block: ArrayBuffer) => written.push(block),
      onFailed: (reason: string) => failures.push(reason),
    }
  }
  const record = (length: number) => {
    const bytes = Buffer.alloc(16 + length, 7)
    bytes.writeUInt32LE(length, 8)
    return bytes
  }

  it('writes blocks in order and gives each back', async () => {
    const path = join(folder, 'order.pcap')
    const watched = options()
    const writer = await CaptureWriter.create(path, watched)
    const blocks = Array.from({ length: 200 }, (_, index) => new Uint8Array(1000).fill(index).buffer)

    for (const block of blocks) writer.write(block, 500)
    await writer.close()

    const expected = [pcapHeader(), ...blocks.map((block) => Buffer.from(block, 0, 500))]
    assert.deepEqual(await readFile(path), Buffer.concat(expected))
    assert.deepEqual(watched.written, blocks)
    assert.deepEqual(watched.failures, [])
  })

  it('tells once that it failed, writes what it was given before, and nothing after', async () => {
    const path = join(folder, 'failed.pcap')
    const watched = options()
    const writer = await CaptureWriter.create(path, watched)

    writer.write(new ArrayBuffer(10), 10)
    writer.fail('too slow')
    writer.fail('again')
    writer.write(new ArrayBuffer(10), 10)
    await writer.close()

    assert.equal((await readFile(path)).length, 34)
    assert.deepEqual(watched.failures, ['too slow'])
    assert.equal(watched.written.length, 2)
  })

  for (const [what, content, kept] of [
    ['a file that is not there', undefined, 24],
    ['an empty file', Buffer.alloc(0), 24],
    ['half a header', pcapHeader().subarray(0, 10), 24],
    ['something else', Buffer.alloc(100, 1), 24],
    ['a whole file', Buffer.concat([pcapHeader(), record(60), record(9000)]), 24 + 76 + 9016],
    ['half a record', Buffer.concat([pcapHeader(), record(60), record(9000).subarray(0, 8000)]), 24 + 76],
    ['half a record header', Buffer.concat([pcapHeader(), record(60), record(60).subarray(0, 9)]), 24 + 76],
    ['more than is read at once', Buffer.concat([pcapHeader(), ...Array(300).fill(record(9000))]), 24 + 300 * 9016],
  ] as const) {
    it(`goes on with ${what}`, async () => {
      const path = join(folder, 'resumed.pcap')
      await rm(path, { force: true })
      if (content !== undefined) await writeFile(path, content)

      const writer = await CaptureWriter.resume(path, options())
      writer.write(new Uint8Array([1, 2, 3]).buffer, 3)
      await writer.close()

      const file = await readFile(path)
      assert.equal(file.length, kept + 3)
      assert.deepEqual(file.subarray(0, 24), pcapHeader())
      assert.deepEqual(file.subarray(-3), Buffer.from([1, 2, 3]))
    })
  }
})
