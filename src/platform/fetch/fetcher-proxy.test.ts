import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { lacksOpenssl, makeCertificates } from '../../../test/support/certificates.ts'
import { createImpatientFetcher, readText } from '../../../test/support/impatient-fetcher.ts'
import { startProxy, startUpstream, type UpstreamServer } from '../../../test/support/upstream-server.ts'
import type { Fetcher } from './fetcher.ts'

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

describe('Fetcher with a proxy', () => {
  let opened: AsyncDisposableStack
  let fetcher: Fetcher

  beforeEach(() => {
    opened = new AsyncDisposableStack()
    fetcher = opened.use(createImpatientFetcher()).fetcher
  })

  afterEach(() => opened.disposeAsync())

  const upstream = async (...args: Parameters<typeof startUpstream>): Promise<UpstreamServer> =>
    opened.use(await startUpstream(...args))

  const proxy = async (password?: string) => opened.use(await startProxy(password))

  it('lets the proxy ask for http, and tells it nothing that is for the upstream alone', async () => {
    const { url, requests } = await upstream((_, response) => response.end('hello'))
    const { url: proxyUrl, requests: asked } = await proxy('ann:word')

    const answer = await fetcher.open(`${url}/file`, {
      upstream: { url, username: 'bob', password: 'pw', proxy: { url: proxyUrl, username: 'ann', password: 'word' } },
    })

    assert.equal(await readText(answer), 'hello')
    assert.deepEqual(
      asked.map(({ method, url: target }) => `${method} ${target}`),
      [`GET ${url}/file`],
    )
    assert.equal(requests[0]?.headers['authorization'], basic('bob:pw'))
    assert.equal(requests[0]?.headers['proxy-authorization'], undefined)
  })

  it('goes through a tunnel for https, where the upstream’s secrets are out of the proxy’s sight', {
    skip: lacksOpenssl,
  }, async () => {
    const { ca, server } = makeCertificates()
    const { url, port, requests } = await upstream((_, response) => response.end('hello'), {
      cert: server.certificate,
      key: server.key,
    })
    const { url: proxyUrl, requests: asked } = await proxy('ann:word')

    const answer = await fetcher.open(url, {
      upstream: {
        url,
        username: 'bob',
        password: 'pw',
        tls: { ca },
        proxy: { url: proxyUrl.replace('//', '//ann:word@') },
      },
    })

    assert.equal(await readText(answer), 'hello')
    assert.equal(`${asked[0]?.method} ${asked[0]?.url}`, `CONNECT localhost:${port}`)
    assert.equal(asked[0]?.headers['authorization'], undefined)
    assert.equal(requests[0]?.headers['authorization'], basic('bob:pw'))
  })

  it('says that the proxy refuses, without telling its password', async () => {
    const { url } = await upstream((_, response) => response.end())
    const { url: proxyUrl } = await proxy('ann:word')
    const options = { upstream: { url, proxy: { url: proxyUrl, username: 'ann', password: 'wrong' } } }

    await assert.rejects(fetcher.open(url, options), { message: `Cannot fetch ${url}/: the proxy answered 407` })
    await assert.rejects(
      fetcher.open('https://localhost/', { upstream: { ...options.upstream, url: 'https://localhost/' } }),
      {
        message: 'Cannot fetch https://localhost/: the proxy answered 407',
      },
    )
  })

  it('says that the proxy cannot be reached', async () => {
    const { url: proxyUrl, ...server } = await startProxy()
    await server[Symbol.asyncDispose]()

    await assert.rejects(
      fetcher.open('http://host.invalid', { upstream: { url: 'http://host.invalid', proxy: { url: proxyUrl } } }),
      {
        message: 'Cannot fetch http://host.invalid/: connection refused',
      },
    )
  })

  for (const url of ['socks5://127.0.0.1:1080', 'ftp://proxy/', 'proxy:8080', 'no url']) {
    it(`refuses "${url}" as a proxy`, async () => {
      await assert.rejects(
        fetcher.open('http://host.invalid', { upstream: { url: 'http://host.invalid', proxy: { url } } }),
        {
          name: 'AppError',
          code: 'invalid',
          message: `Cannot use proxy "${url}": it is not an http or https URL`,
        },
      )
    })
  }
})

describe('Fetcher that denies private addresses', () => {
  let opened: AsyncDisposableStack
  let fetcher: Fetcher

  beforeEach(() => {
    opened = new AsyncDisposableStack()
    fetcher = opened.use(createImpatientFetcher({ deny: 'private' })).fetcher
  })

  afterEach(() => opened.disposeAsync())

  const upstream = async (...args: Parameters<typeof startUpstream>): Promise<UpstreamServer> =>
    opened.use(await startUpstream(...args))

  for (const host of [
    '127.0.0.1',
    'localhost',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '2130706433',
    '0',
    '0x7f.1',
    'a.localhost.',
  ]) {
    it(`does not connect to ${host}`, async () => {
      const { port, requests } = await upstream((_, response) => response.end())

      await assert.rejects(fetcher.open(`http://${host}:${port}/`), {
        name: 'AppError',
        code: 'invalid',
        message: /^Cannot fetch http:\/\/.*: it leads to a private address, which is denied here$/,
      })
      assert.equal(requests.length, 0)
    })
  }

  it('does not use a private proxy, unless an administrator chose it', async () => {
    const { url: proxyUrl, requests } = opened.use(await startProxy())
    const upstreamOf = (isTrusted: boolean) => ({ url: 'http://host.invalid', proxy: { url: proxyUrl, isTrusted } })

    await assert.rejects(fetcher.open('http://host.invalid', { upstream: upstreamOf(false) }), { code: 'invalid' })
    assert.equal(requests.length, 0)
    await assert.rejects(fetcher.open('http://host.invalid', { upstream: upstreamOf(true) }), { status: 502 })
    assert.equal(requests.length, 3)
  })

  it('does not follow a redirect to a private address, neither directly nor through a proxy', async () => {
    const inner = await upstream((_, response) => response.end('internal'))
    const outer = await upstream((_, response) => response.writeHead(302, { Location: inner.url }).end())
    const target = Number(new URL(outer.url).port)
    const { url: proxyUrl } = opened.use(await startProxy(undefined, () => target))

    const asked = fetcher.open('http://mirror.example/file', {
      upstream: { url: 'http://mirror.example/', proxy: { url: proxyUrl, isTrusted: true } },
    })

    await assert.rejects(asked, {
      code: 'invalid',
      message: 'Cannot fetch http://mirror.example/file: it leads to a private address, which is denied here',
    })
    assert.equal(inner.requests.length, 0)
  })
})
