import assert from 'node:assert/strict'
import { afterEach, before, beforeEach, describe, it } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { type Certificates, lacksOpenssl, makeCertificates } from '../../../test/support/certificates.ts'
import { createImpatientFetcher, readText } from '../../../test/support/impatient-fetcher.ts'
import { startUpstream, type UpstreamServer } from '../../../test/support/upstream-server.ts'
import type { Fetcher } from './fetcher.ts'

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

describe('Fetcher with secrets', () => {
  let opened: AsyncDisposableStack
  let fetcher: Fetcher

  beforeEach(() => {
    opened = new AsyncDisposableStack()
    fetcher = opened.use(createImpatientFetcher()).fetcher
  })

  afterEach(() => opened.disposeAsync())

  const upstream = async (...args: Parameters<typeof startUpstream>): Promise<UpstreamServer> =>
    opened.use(await startUpstream(...args))

  describe('credentials', () => {
    it('go to the upstream, also for other paths of it', async () => {
      const { url, requests } = await upstream((_, response) => response.end())

      await fetcher.open(`${url}/deep/file`, {
        upstream: { url: `${url}/repo/`, username: 'ann', password: 'a:ö', headers: { 'X-Token': 'secret' } },
      })

      assert.equal(requests[0]?.headers['authorization'], basic('ann:a:ö'))
      assert.equal(requests[0]?.headers['x-token'], 'secret')
    })

    it('in the URL are sent as a header and stay out of messages', async () => {
      const { url, port, requests } = await upstream((_, response) => response.writeHead(403).end())

      const asked = fetcher.open(`http://ann:p%40ss@127.0.0.1:${port}/file?token=abc&x=1`)

      await assert.rejects(asked, {
        url: `${url}/file?token=***&x=1`,
        message: `Cannot fetch ${url}/file?token=***&x=1: it answered 403 (Forbidden)`,
      })
      assert.equal(requests[0]?.headers['authorization'], basic('ann:p@ss'))
      assert.equal(requests[0]?.url, '/file?token=abc&x=1')
    })

    it('do not go to redirect targets of other origins, but again to the upstream', async () => {
      const other = await upstream(({ url: path }, response) => {
        response.writeHead(302, { Location: `${home.url}${path}/back` }).end()
      })
      const home = await upstream(({ url: path }, response) => {
        if (path === '/file') response.writeHead(302, { Location: `${other.url}/elsewhere` }).end()
        else response.end()
      })

      const answer = await fetcher.open(`${home.url}/file`, {
        upstream: { url: home.url, username: 'ann', password: 'word', headers: { authorization: 'Bearer token' } },
      })

      assert.equal(answer.url, `${home.url}/elsewhere/back`)
      assert.equal(other.requests[0]?.headers['authorization'], undefined)
      assert.deepEqual(
        home.requests.map(({ headers }) => headers['authorization']),
        ['Bearer token', 'Bearer token'],
      )
    })

    it('do not go to another origin that is asked for on behalf of the upstream', async () => {
      const { url, port, requests } = await upstream((_, response) => response.end())

      await fetcher.open(`http://bob:word@localhost:${port}/file`, { upstream: { url, username: 'ann' } })

      assert.equal(requests[0]?.headers['authorization'], undefined)
    })

    it('of a redirect are not used', async () => {
      const { url, port, requests } = await upstream(({ url: path }, response) => {
        if (path === '/file') response.writeHead(302, { Location: `http://admin:admin@127.0.0.1:${port}/new` }).end()
        else response.end()
      })

      const answer = await fetcher.open(`${url}/file`)

      assert.equal(answer.url, `${url}/new`)
      assert.equal(requests[1]?.headers['authorization'], undefined)
    })

    for (const name of ['Authorization', 'cookie', 'Host']) {
      it(`cannot be given to every host as header "${name}"`, async () => {
        const { url, requests } = await upstream((_, response) => response.end())

        await assert.rejects(fetcher.open(url, { headers: { [name]: 'x' } }), TypeError)
        assert.equal(requests.length, 0)
      })
    }
  })

  describe('and certificates', { skip: lacksOpenssl }, () => {
    let certificates: Certificates

    before(() => {
      certificates = makeCertificates()
    })

    const serverTls = () => ({ cert: certificates.server.certificate, key: certificates.server.key })

    const mutualTls = () => ({ ...serverTls(), ca: certificates.ca, requestCert: true })

    it('shows the client certificate to an upstream that asks for it', async () => {
      const { url } = await upstream((_, response) => response.end('welcome'), mutualTls())
      const { ca, client } = certificates

      const answer = await fetcher.open(url, { upstream: { url, tls: { ca, ...client } } })

      assert.equal(await readText(answer), 'welcome')
      await assert.rejects(fetcher.open(url, { upstream: { url, tls: { ca } } }), {
        code: 'upstream',
        message: /: it (asks for a client certificate|closed the connection)$/,
      })
    })

    it('does not show the client certificate to redirect targets', async () => {
      const shown: string[] = []
      const watch = (socket: unknown) => shown.push(String((socket as TLSSocket).getPeerCertificate().subject?.CN))
      const optional = { ...mutualTls(), rejectUnauthorized: false }
      const other = await upstream((request, response) => {
        watch(request.socket)
        response.end('other')
      }, optional)
      const home = await upstream((request, response) => {
        watch(request.socket)
        response.writeHead(302, { Location: other.url }).end()
      }, optional)
      const { ca, client } = certificates

      await fetcher.open(home.url, { upstream: { url: home.url, tls: { ca, ...client } } })

      assert.deepEqual(shown, ['client', 'undefined'])
    })

    it('does not share connections between upstreams with different certificates', async () => {
      const shown: string[] = []
      const { url } = await upstream(
        (request, response) => {
          shown.push(String((request.socket as TLSSocket).getPeerCertificate().subject?.CN))
          response.end()
        },
        { ...mutualTls(), rejectUnauthorized: false },
      )
      const { ca, client } = certificates

      for (const tls of [{ ca, ...client }, { ca }]) await readText(await fetcher.open(url, { upstream: { url, tls } }))

      assert.deepEqual(shown, ['client', 'undefined'])
    })

    for (const [what, message, server] of [
      ['an unknown authority', 'its certificate is from an unknown authority', 'server'],
      ['the name of another host', 'its certificate is for another host', 'server'],
      ['an expired certificate', 'its certificate has expired', 'expiredServer'],
    ] as const) {
      it(`refuses ${what}, unless certificates are not to be verified`, async () => {
        const { certificate, key } = certificates[server]
        const { url, port } = await upstream((_, response) => response.end('hello'), { cert: certificate, key })
        const asked = what.startsWith('the name') ? `https://127.0.0.1:${port}` : url
        const ca = what.startsWith('an unknown') ? undefined : certificates.ca

        await assert.rejects(fetcher.open(asked, { upstream: { url: asked, tls: { ca } } }), {
          message: `Cannot fetch ${asked}/: ${message}`,
        })

        const answer = await fetcher.open(asked, { upstream: { url: asked, tls: { ca, verify: false } } })
        assert.equal(await readText(answer), 'hello')
      })
    }

    it('says that a server does not speak TLS', async () => {
      const { port } = await upstream((_, response) => response.end())

      await assert.rejects(fetcher.open(`https://localhost:${port}`, { attempts: 1 }), { message: /TLS/ })
    })

    for (const tls of [
      { certificate: 'no certificate', key: 'no key' },
      { ca: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----' },
    ]) {
      it(`refuses ${Object.keys(tls).join(' and ')} that cannot be used`, async () => {
        await assert.rejects(fetcher.open('https://localhost', { upstream: { url: 'https://localhost', tls } }), {
          name: 'AppError',
          code: 'invalid',
          message: /^Cannot use the certificates of the upstream: /,
        })
      })
    }
  })
})
