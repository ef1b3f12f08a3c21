import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { createImpatientFetcher, readText } from '../../../test/support/impatient-fetcher.ts'
import { startRudeUpstream, startUpstream, type UpstreamServer } from '../../../test/support/upstream-server.ts'
import type { Fetcher } from './fetcher.ts'

describe('Fetcher of an unreliable upstream', () => {
  let opened: AsyncDisposableStack
  let fetcher: Fetcher
  let pauses: readonly number[]

  beforeEach(() => {
    opened = new AsyncDisposableStack()
    const impatient = opened.use(createImpatientFetcher())
    fetcher = impatient.fetcher
    pauses = impatient.pauses
  })

  afterEach(() => opened.disposeAsync())

  const upstream = async (answer: RequestListener): Promise<UpstreamServer> => opened.use(await startUpstream(answer))

  const rude = async (...args: Parameters<typeof startRudeUpstream>) => opened.use(await startRudeUpstream(...args))

  describe('retries', () => {
    for (const status of [408, 429, 500, 502, 503, 504]) {
      it(`asks again after ${status}`, async () => {
        let asked = 0
        const { url } = await upstream((_, response) => {
          asked += 1
          response.writeHead(asked < 3 ? status : 200).end('at last')
        })

        assert.equal(await readText(await fetcher.open(url)), 'at last')
        assert.deepEqual(pauses, [100, 200])
      })
    }

    it('waits as long as the upstream asks for, but not longer than a minute', async () => {
      const retryAfter = ['7', '86400', new Date(Date.now() + 20_000).toUTCString()]
      const { url } = await upstream((_, response) => {
        const value = retryAfter.shift()
        if (value === undefined) response.end()
        else response.writeHead(429, { 'Retry-After': value }).end()
      })

      await fetcher.open(url, { attempts: 4 })

      const [first, second, third = 0] = pauses
      assert.deepEqual([first, second], [7000, 60_000])
      assert.ok(third > 10_000 && third <= 20_000, `${third} ms`)
    })

    it('asks again when a kept connection was closed meanwhile', async () => {
      const { url } = await rude((socket, connection) => {
        if (connection === 1) socket.end()
        else socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
      })

      assert.equal(await readText(await fetcher.open(url)), 'ok')
    })

    it('gives up after the last attempt, with its failure', async () => {
      const { url, requests } = await upstream((_, response) => response.writeHead(503).end())

      await assert.rejects(fetcher.open(url), { status: 503, message: /it answered 503 \(Service Unavailable\)/ })
      assert.equal(requests.length, 3)
    })
  })

  describe('body', () => {
    for (const [what, message] of [
      ['Content-Length: 4096\r\n\r\n', 'it stopped sending after 1024 of 4096 bytes'],
      ['Transfer-Encoding: chunked\r\n\r\n400\r\n', 'it stopped sending after 1024 of an unknown number of bytes'],
    ] as const) {
      it(`says how much came when the upstream breaks off after ${what.trim()}`, async () => {
        const { url } = await rude((socket) => socket.end(`HTTP/1.1 200 OK\r\n${what}${'x'.repeat(1024)}`))
        const answer = await fetcher.open(`${url}/file`)

        await assert.rejects(readText(answer), { code: 'upstream', message: `Cannot fetch ${url}/file: ${message}` })
      })
    }

    it('says how much came when the upstream stops sending without closing', async () => {
      const { url } = await upstream((_, response) => response.setHeader('Content-Length', 10).write('abc'))
      const answer = await fetcher.open(url)

      await assert.rejects(readText(answer), { message: /it sent nothing for 200 ms after 3 of 10 bytes/ })
    })

    it('ends with the reason of the signal', async () => {
      const aborter = new AbortController()
      const { url } = await upstream((_, response) => response.write('some'))
      const answer = await fetcher.open(url, { signal: aborter.signal })
      const reason = new Error('cancelled by the user')

      const reading = readText(answer)
      aborter.abort(reason)

      await assert.rejects(reading, reason)
    })

    it('closes the connection when the answer is disposed of unread', async () => {
      const closed = Promise.withResolvers<void>()
      const { url } = await upstream((request, response) => {
        request.socket.once('close', () => closed.resolve())
        response.write('endless')
      })

      {
        await using _answer = await fetcher.open(url)
      }

      await closed.promise
    })

    it('lets a slow reader take its time', async () => {
      const { url } = await upstream((_, response) => response.end(Buffer.alloc(4 * 1024 * 1024)))
      const answer = await fetcher.open(url)
      let sizeBytes = 0

      for await (const chunk of answer.body) {
        if (sizeBytes === 0) await new Promise((resolve) => setTimeout(resolve, 300))
        sizeBytes += chunk.byteLength
      }

      assert.equal(sizeBytes, 4 * 1024 * 1024)
    })
  })

  describe('read', () => {
    it('reads anew when the body breaks off', async () => {
      const { url } = await rude((socket, connection) => {
        const body = connection === 3 ? 'complete' : 'comp'
        socket.end(`HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n${body}`)
      })
      const seen: string[] = []

      const whole = await fetcher.read(url, {}, async (answer) => {
        seen.push('')
        return readText(answer)
      })

      assert.equal(whole, 'complete')
      assert.equal(seen.length, 3)
      assert.deepEqual(pauses, [100, 200])
    })

    it('disposes of an answer that the reader leaves, and passes its failure on', async () => {
      const closed: Promise<unknown>[] = []
      const { url } = await upstream((request, response) => {
        closed.push(once(request.socket, 'close'))
        response.write('endless')
      })

      const reading = fetcher.read(url, {}, async () => {
        throw new Error('I do not like it')
      })

      await assert.rejects(reading, { message: 'I do not like it' })
      await Promise.all(closed)
      assert.equal(closed.length, 1)
    })
  })
})
