import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import type { IncomingMessage, RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { createImpatientFetcher } from '../../../test/support/impatient-fetcher.ts'
import { liveBufferBytes } from '../../../test/support/live-memory.ts'
import { startRudeUpstream, startUpstream, type UpstreamServer } from '../../../test/support/upstream-server.ts'
import type { BlobStore } from '../blobs/blob-store.ts'
import { openFileBlobStore } from '../blobs/file-blob-store.ts'
import { fetchBlob } from './fetch-blob.ts'
import { fetchBytes } from './fetch-bytes.ts'
import { FetchError } from './fetch-error.ts'
import type { Fetcher } from './fetcher.ts'

const content = Buffer.alloc(4_000_000, 'content ')
const partBytes = 1_500_000
const sha256 = createHash('sha256').update(content).digest('hex')
const expected = { sha256, sizeBytes: content.length }

let opened: AsyncDisposableStack
let fetcher: Fetcher
let store: BlobStore
let root: string

beforeEach(async () => {
  opened = new AsyncDisposableStack()
  fetcher = opened.use(createImpatientFetcher({ continueAfterBytes: 100_000 })).fetcher
  root = await mkdtemp(join(tmpdir(), 'fetch-blob-'))
  store = await openFileBlobStore(root)
})

afterEach(async () => {
  await opened.disposeAsync()
  const left = await readdir(join(root, 'tmp'))
  await rm(root, { recursive: true })
  assert.deepEqual(left, [], 'something was left behind')
})

async function upstream(answer: RequestListener): Promise<UpstreamServer> {
  return opened.use(await startUpstream(answer))
}

async function rude(...args: Parameters<typeof startRudeUpstream>) {
  return opened.use(await startRudeUpstream(...args))
}

describe('fetchBlob', () => {
  it('stages what has the expected digests and size, and tells its progress', async () => {
    const { url } = await upstream((_, response) => response.end(content))
    const progress: number[] = []
    const md5 = createHash('md5').update(content).digest('hex')
    const onProgress = (receivedBytes: number) => progress.push(receivedBytes)

    await using staged = await fetchBlob(fetcher, url, {
      store,
      expected: { ...expected, md5 },
      digests: ['sha1'],
      onProgress,
    })

    assert.equal(staged.sha256, sha256)
    assert.deepEqual(Object.keys(staged.digests).sort(), ['md5', 'sha1', 'sha256'])
    assert.equal(progress.at(-1), content.length)
    assert.equal(await store.stat(sha256), undefined)
  })

  it('asks again when a digest is wrong, as one stale mirror of several may be', async () => {
    let asked = 0
    const { url } = await upstream((_, response) => {
      asked += 1
      response.end(asked < 3 ? Buffer.alloc(content.length) : content)
    })

    await using staged = await fetchBlob(fetcher, url, { store, expected })

    assert.equal(staged.sha256, sha256)
    assert.equal(asked, 3)
  })

  it('gives up on a digest that stays wrong', async () => {
    const { url, requests } = await upstream((_, response) => response.end(Buffer.alloc(content.length)))

    const failure = await fetchBlob(fetcher, url, { store, expected, subject: 'a.rpm' }).catch((error) => error)

    assert.ok(failure instanceof FetchError)
    assert.match(failure.message, new RegExp(`^Cannot keep a.rpm from ${url}/: its sha256 is .* instead of ${sha256}$`))
    assert.equal(requests.length, 3)
  })

  for (const [what, header, limits, message] of [
    ['announces another size', { 'content-length': '5' }, { expected }, /announces 5 bytes instead of 4000000$/],
    [
      'announces too much',
      { 'content-length': '4000000' },
      { maxBytes: 5 },
      /announces 4000000 bytes and 5 are allowed$/,
    ],
    ['sends more than expected', {}, { expected: { sizeBytes: 5 } }, /it has more than the expected 5 bytes$/],
    ['sends more than allowed', {}, { maxBytes: 5 }, /it has more than the 5 bytes that are allowed$/],
  ] as const) {
    it(`cuts off an upstream that ${what}`, async () => {
      const closed: Promise<void>[] = []
      const { url } = await upstream((request, response) => {
        closed.push(new Promise((resolve) => request.socket.once('close', resolve)))
        response.writeHead(200, header).write(Object.keys(header).length === 0 ? content : 'x')
      })

      await assert.rejects(fetchBlob(fetcher, `${url}/file`, { store, ...limits }), { code: 'upstream', message })

      await Promise.all(closed)
      assert.equal(closed.length, 3)
    })
  }

  it('says so when an upstream announces more than it sends', async () => {
    const { url } = await rude((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 4096\r\n\r\nshort'))

    await assert.rejects(fetchBlob(fetcher, `${url}/file`, { store }), {
      code: 'upstream',
      message: `Cannot fetch ${url}/file: it stopped sending after 5 of 4096 bytes`,
    })
  })

  it('says so when an upstream announces less than it sends', async () => {
    const { url } = await rude((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nmuch too long'))

    await assert.rejects(fetchBlob(fetcher, `${url}/file`, { store, expected: { sizeBytes: 13 } }), {
      message: `Cannot fetch ${url}/file: ${url}/file announces 5 bytes instead of 13`,
    })
  })

  it('gives up at once on what lasts', async () => {
    const { url, requests } = await upstream((_, response) => response.writeHead(404).end())

    await assert.rejects(fetchBlob(fetcher, url, { store }), { status: 404 })
    assert.equal(requests.length, 1)
  })

  it('ends with the reason of the signal', async () => {
    const aborter = new AbortController()
    const reason = new Error('cancelled by the user')
    const { url, requests } = await upstream((_, response) => response.write(content))
    const onProgress = () => aborter.abort(reason)

    await assert.rejects(fetchBlob(fetcher, url, { store, signal: aborter.signal, onProgress }), reason)
    assert.equal(requests.length, 1)
  })

  it('needs flat memory for a long file', async () => {
    const piece = Buffer.alloc(64 * 1024)
    const { url } = await upstream(async (_, response) => {
      for (let count = 0; count < 1600; count += 1) {
        if (!response.write(piece)) await new Promise((resolve) => response.once('drain', resolve))
      }
      response.end()
    })
    const before = liveBufferBytes()
    let chunks = 0
    let highestBytes = 0
    const onProgress = () => {
      chunks += 1
      if (chunks % 200 === 0) highestBytes = Math.max(highestBytes, liveBufferBytes() - before)
    }

    await using staged = await fetchBlob(fetcher, url, { store, onProgress })

    assert.equal(staged.sizeBytes, 1600 * piece.length)
    assert.ok(highestBytes < 10 * 1024 * 1024, `${highestBytes} bytes were held in memory`)
  })
})

function startOf({ headers: { range = '0' } }: IncomingMessage): number {
  return Number(/\d+/.exec(range)?.[0])
}

describe('fetchBlob of a body that breaks off', () => {
  /** Sends at most a part of what is asked for, then breaks off. */
  const parts = (starts: number[], headers: Record<string, string>): RequestListener => {
    return (request, response) => {
      const start = startOf(request)
      starts.push(start)
      const rest = content.subarray(start)
      const range = { 'content-range': `bytes ${start}-${content.length - 1}/${content.length}` }
      response.writeHead(start === 0 ? 200 : 206, { ...headers, ...range, 'content-length': rest.length })
      if (rest.length <= partBytes) response.end(rest)
      else response.write(rest.subarray(0, partBytes), () => response.destroy())
    }
  }

  for (const [name, value] of [
    ['etag', '"v1"'],
    ['last-modified', 'Sat, 01 Jan 2022 00:00:00 GMT'],
  ] as const) {
    it(`continues where it stopped, if the file is still the one of that ${name}`, async () => {
      const starts: number[] = []
      const { url, requests } = await upstream(parts(starts, { [name]: value }))

      await using staged = await fetchBlob(fetcher, url, { store, expected, attempts: 2 })

      assert.equal(staged.sha256, sha256)
      assert.equal(starts[0], 0)
      assert.ok(starts.length > 2 && starts.slice(1).every((start) => start > 0), String(starts))
      assert.equal(requests[1]?.headers['if-range'], value)
    })
  }

  it('begins anew when the file has changed meanwhile', async () => {
    let asked = 0
    const { url } = await upstream((_, response) => {
      asked += 1
      response.writeHead(200, { etag: `"${asked}"`, 'content-length': content.length })
      if (asked < 3) response.write(content.subarray(0, partBytes), () => response.destroy())
      else response.end(content)
    })

    await using staged = await fetchBlob(fetcher, url, { store, expected })

    assert.equal(staged.sha256, sha256)
  })

  for (const [why, headers] of [
    ['there is nothing to tell that the file is the same', {}],
    ['its tag is a weak one', { etag: 'W/"v1"' }],
    ['the upstream cannot send parts', { etag: '"v1"', 'accept-ranges': 'none' }],
  ] as const) {
    it(`begins anew when ${why}`, async () => {
      const starts: number[] = []
      const { url } = await upstream(parts(starts, headers))

      await assert.rejects(fetchBlob(fetcher, url, { store, expected }), { message: /after \d+ of 4000000 bytes/ })

      assert.deepEqual(starts, [0, 0, 0])
    })
  }

  it('gives up on an upstream that breaks off again and again without sending more', async () => {
    const starts: number[] = []
    const answer = parts(starts, { etag: '"v1"' })
    const { url } = await upstream((request, response) => {
      const start = startOf(request)
      if (start === 0) return answer(request, response)
      starts.push(start)
      const range = `bytes ${start}-${content.length - 1}/${content.length}`
      response.writeHead(206, { 'content-range': range, 'content-length': content.length - start })
      return response.write('x', () => response.destroy())
    })

    await assert.rejects(fetchBlob(fetcher, url, { store, expected, attempts: 2 }), { code: 'upstream' })

    assert.ok(starts.length < 10, `it was asked ${starts.length} times`)
  })
})

describe('fetchBytes', () => {
  it('gives small things and refuses large ones', async () => {
    const { url, requests } = await upstream((_, response) => response.end('small'))

    assert.equal((await fetchBytes(fetcher, url, { maxBytes: 5 })).bytes.toString(), 'small')
    await assert.rejects(fetchBytes(fetcher, url, { maxBytes: 4 }), {
      code: 'upstream',
      message: `Cannot fetch ${url}/: it has more than 4 bytes`,
    })
    assert.equal(requests.length, 2)
  })
})
