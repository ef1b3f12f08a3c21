import { X509Certificate } from 'node:crypto'
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import { Agent, buildConnector, type Dispatcher, ProxyAgent } from 'undici'
import { AppError, messageOf } from '../errors.ts'
import { basicAuthorization, unescaped } from './credentials.ts'
import type { Timeouts, UpstreamProxy } from './fetch-options.ts'
import { isPrivateHost, lookUpPublic, PrivateAddressError } from './private-guard.ts'
import { isHttp } from './requested-url.ts'
import { shownUrl } from './shown-url.ts'

/** Which upstreams are refused: none, or those in private networks. */
export type Deny = 'none' | 'private'

/** How one host is reached. Requests with equal routes share connections, others never do. */
export interface Route {
  /** An authority's certificates (PEM). */
  readonly ca: string | undefined
  readonly trustsPublicAuthorities: boolean
  readonly certificate: string | undefined
  readonly key: string | undefined
  readonly verify: boolean
  readonly proxy: UpstreamProxy | undefined
}

export interface DispatchersOptions {
  readonly deny: Deny
  readonly timeouts: Timeouts
}

type Connecting = buildConnector.BuildOptions & { readonly secureContext?: SecureContext }

const mostRoutes = 64
const connectionsPerHost = 64

/** The connection pools, one for each route; the least recently used ones are closed when there are too many. */
export class Dispatchers implements AsyncDisposable {
  readonly #options: DispatchersOptions
  readonly #known = new Map<string, Dispatcher>()

  constructor(options: DispatchersOptions) {
    this.#options = options
  }

  /** @throws AppError `invalid` when certificates, key or proxy cannot be used; PrivateAddressError for a denied proxy */
  for(route: Route): Dispatcher {
    const name = JSON.stringify(route)
    const dispatcher = this.#known.get(name) ?? this.#create(route)
    this.#known.delete(name)
    this.#known.set(name, dispatcher)
    this.#closeUnused()
    return dispatcher
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const all = [...this.#known.values()]
    this.#known.clear()
    await Promise.all(all.map((dispatcher) => dispatcher.destroy()))
  }

  #create(route: Route): Dispatcher {
    const connecting: Connecting = {
      secureContext: checkedContext(route),
      rejectUnauthorized: route.verify,
      allowH2: false,
      timeout: this.#options.timeouts.connectMs,
    }
    const pool = { connections: connectionsPerHost, allowH2: false }
    if (route.proxy !== undefined) return this.#createProxied(route.proxy, connecting)
    return new Agent({ ...pool, connect: guarded(connecting, this.#options.deny) })
  }

  /** Names are looked up by the proxy: what it may reach is the proxy's to say, except for addresses that are written out. */
  #createProxied(proxy: UpstreamProxy, connecting: Connecting): Dispatcher {
    const { url, username, password } = proxy
    const { origin, hostname, username: user, password: word } = parseProxyUrl(url)
    const token = basicAuthorization({
      username: username ?? unescaped(user),
      password: password ?? unescaped(word),
    })
    const isGuarded = this.#options.deny === 'private' && proxy.isTrusted !== true
    if (isGuarded && isPrivateHost(hostname)) throw new PrivateAddressError(hostname)
    return new ProxyAgent({
      uri: origin,
      ...(token === undefined ? {} : { token }),
      connections: connectionsPerHost,
      allowH2: false,
      requestTls: connecting,
      proxyTls: {
        timeout: this.#options.timeouts.connectMs,
        allowH2: false,
        ...(isGuarded ? { lookup: lookUpPublic } : {}),
      },
    })
  }

  #closeUnused(): void {
    for (const [name, dispatcher] of this.#known) {
      if (this.#known.size <= mostRoutes) return
      this.#known.delete(name)
      dispatcher.close().catch(() => {}) // ends when its last request has; nobody waits for that
    }
  }
}

function parseProxyUrl(text: string): URL {
  const url = URL.parse(text)
  if (url !== null && isHttp(url)) return url
  throw new AppError('invalid', `Cannot use proxy "${shownUrl(text)}": it is not an http or https URL`)
}

function guarded(connecting: Connecting, deny: Deny): buildConnector.connector {
  if (deny === 'none') return buildConnector(connecting)
  const connect = buildConnector({ ...connecting, lookup: lookUpPublic })
  return (options, done) => {
    // A written address is connected to without being looked up.
    if (isPrivateHost(options.hostname)) done(new PrivateAddressError(options.hostname), null)
    else connect(options, done)
  }
}

const pemCertificate = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g

/** An authority is looked at first, because a TLS context takes anything for one and fails only when it connects. */
function checkedContext({ ca, trustsPublicAuthorities, certificate, key }: Route): SecureContext {
  try {
    for (const authority of ca?.match(pemCertificate) ?? [ca ?? []].flat()) new X509Certificate(authority)
    const authorities = [ca ?? [], trustsPublicAuthorities ? getCACertificates('default') : []].flat()
    return createSecureContext({
      ...(ca === undefined ? {} : { ca: authorities }),
      ...(certificate === undefined ? {} : { cert: certificate }),
      ...(key === undefined ? {} : { key }),
    })
  } catch (error) {
    throw new AppError('invalid', `Cannot use the certificates of the upstream: ${messageOf(error)}`, { cause: error })
  }
}
