import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { createImpatientFetcher, readText } from '../../../test/support/impatient-fetcher.ts'
import { startRudeUpstream, startUpstream, type UpstreamServer } from '../../../test/support/upstream-server.ts'
import { FetchError } from './fetch-error.ts'
import type { Fetcher } from './fetcher.ts'

describe('Fetcher', () => {
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

  describe('open', () => {
    it('gives status, headers, size and body, and asks for bytes as they are', async () => {
      const { url, requests } = await upstream((_, response) => {
        response.setHeader('ETag', '"v1"').setHeader('Content-Length', 5).end('hello')
      })

      const answer = await fetcher.open(`${url}/a%20b?x=1#part`, { headers: { Accept: 'text/plain' } })

      assert.equal(answer.status, 200)
      assert.equal(answer.headers.get('etag'), '"v1"')
      assert.equal(answer.sizeBytes, 5)
      assert.equal(answer.url, `${url}/a%20b?x=1`)
      assert.equal(await readText(answer), 'hello')
      const [{ url: path, headers } = { url: '', headers: {} }] = requests
      assert.equal(path, '/a%20b?x=1')
      assert.equal(headers['accept-encoding'], 'identity')
      assert.equal(headers['accept'], 'text/plain')
      assert.equal(headers['user-agent'], 'backhaul')
    })

    it('takes 304 for an answer when there are conditions', async () => {
      const { url, requests } = await upstream((_, response) => response.writeHead(304).end())
      const conditions = { etag: '"v1"', lastModified: 'Sat, 01 Jan 2022 00:00:00 GMT' }

      const answer = await fetcher.open(url, { conditions })

      assert.equal(answer.status, 304)
      assert.equal(await readText(answer), '')
      assert.equal(requests[0]?.headers['if-none-match'], '"v1"')
      assert.equal(requests[0]?.headers['if-modified-since'], conditions.lastModified)
      await assert.rejects(fetcher.open(url), { code: 'upstream', status: 304 })
    })

    it('asks with HEAD when told to', async () => {
      const { url } = await upstream((_, response) => response.setHeader('Content-Length', 1000).end())

      const answer = await fetcher.open(url, { method: 'HEAD' })

      assert.equal(answer.sizeBytes, 1000)
      assert.equal(await readText(answer), '')
    })

    for (const status of [400, 401, 403, 404, 410, 206, 204] as const) {
      it(`treats ${status} as ${status === 204 ? 'an answer' : 'a failure that lasts'}`, async () => {
        const { url, requests } = await upstream((_, response) => response.writeHead(status, { 'x-why': 'so' }).end())

        const asked = fetcher.open(`${url}/file`)

        if (status === 204) assert.equal((await asked).status, 204)
        else {
          const failure = await asked.catch((error: unknown) => error)
          assert.ok(failure instanceof FetchError)
          assert.equal(failure.code, 'upstream')
          assert.equal(failure.status, status)
          assert.equal(failure.headers.get('x-why'), 'so')
          assert.match(failure.message, new RegExp(`^Cannot fetch ${url}/file: it answered ${status} \\(`))
        }
        assert.equal(requests.length, 1)
      })
    }

    for (const [url, message] of [
      ['ftp://user:word@host/file', 'Cannot fetch ftp://host/file: only http and https are supported'],
      ['file:///etc/passwd', 'Cannot fetch file:///etc/passwd: only http and https are supported'],
      ['https://user:word@/', 'Cannot fetch "https:///": it is not a URL'],
      ['no url', 'Cannot fetch "no url": it is not a URL'],
    ] as const) {
      it(`refuses "${url}"`, async () => {
        await assert.rejects(fetcher.open(url), { name: 'AppError', code: 'invalid', message })
      })
    }

    it('refuses an encoding that nobody asked for, but not one that is the file’s own', async () => {
      const { url } = await upstream((_, response) => response.setHeader('Content-Encoding', 'x-gzip').end('bytes'))

      await assert.rejects(fetcher.open(`${url}/Packages`), { code: 'upstream', message: /content encoding "x-gzip"/ })
      assert.equal(await readText(await fetcher.open(`${url}/Packages.gz`)), 'bytes')
    })

    it('says that a connection is refused, after having tried again with longer and longer pauses', async () => {
      const { url } = await startUpstream(() => {}).then(async (server) => {
        await server[Symbol.asyncDispose]()
        return server
      })

      await assert.rejects(fetcher.open(url), { message: `Cannot fetch ${url}/: connection refused` })
      assert.deepEqual(pauses, [100, 200])
    })

    it('says that a host is unknown, without trying again', async () => {
      await assert.rejects(fetcher.open('http://host.invalid/a'), {
        message: /^Cannot fetch http:\/\/host\.invalid\/a: the host name (is unknown|could not be looked up)$/,
      })
    })

    it('gives up on an upstream that does not answer', async () => {
      const { url } = await upstream(() => {})

      await assert.rejects(fetcher.open(url, { attempts: 1 }), {
        message: `Cannot fetch ${url}/: no answer within 200 ms`,
      })
    })

    it('says that an answer is not HTTP', async () => {
      const { url } = await rude((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'))

      await assert.rejects(fetcher.open(url), { message: `Cannot fetch ${url}/: its answer is not HTTP` })
    })

    it('ends at once with the reason of the signal, also while it pauses or waits for the answer', async () => {
      const { url } = await upstream(() => aborter.abort(reason))
      const aborter = new AbortController()
      const reason = new Error('cancelled by the user')

      await assert.rejects(fetcher.open(url, { signal: aborter.signal }), reason)
      await assert.rejects(fetcher.open(url, { signal: aborter.signal }), reason)
    })
  })

  describe('redirects', () => {
    for (const status of [301, 302, 303, 307, 308]) {
      it(`follows ${status}, relative to the URL that answered`, async () => {
        const { url } = await upstream(({ url: path }, response) => {
          if (path === '/a/old') response.writeHead(status, { Location: '../b/new?x=1' }).end('moved')
          else response.end(path)
        })

        const answer = await fetcher.open(`${url}/a/old`)

        assert.equal(answer.url, `${url}/b/new?x=1`)
        assert.equal(await readText(answer), '/b/new?x=1')
      })
    }

    it('ends a loop and names both ends', async () => {
      const { url, requests } = await upstream(({ url: path }, response) => {
        response.writeHead(302, { Location: path === '/b' ? '/c' : '/b' }).end()
      })

      await assert.rejects(fetcher.open(`${url}/a`, { maxRedirects: 5 }), {
        code: 'upstream',
        message: `Cannot fetch ${url}/a, redirected to ${url}/b: more than 5 redirects`,
      })
      assert.equal(requests.length, 6)
    })

    it('does not follow to other schemes or to what is no URL', async () => {
      const { url } = await upstream(({ url: path }, response) => {
        response.writeHead(302, { Location: path === '/file' ? 'file:///etc/passwd' : 'http://' }).end()
      })

      await assert.rejects(fetcher.open(`${url}/file`), { message: /it redirects to file: which is not supported$/ })
      await assert.rejects(fetcher.open(`${url}/nothing`), { message: /it redirects to what is no URL$/ })
    })

    it('names where it was led to when that fails', async () => {
      const other = await upstream((_, response) => response.writeHead(404).end())
      const { url } = await upstream((_, response) => {
        response.writeHead(302, { Location: `${other.url}/gone?X-Amz-Signature=abc` }).end()
      })

      await assert.rejects(fetcher.open(url), {
        status: 404,
        message: `Cannot fetch ${url}/, redirected to ${other.url}/gone?X-Amz-Signature=***: it answered 404 (Not Found)`,
      })
    })
  })
})
