import type { Route } from './dispatchers.ts'
import type { Upstream } from './fetch-options.ts'

/** The value of an `authorization` header (RFC 7617, UTF-8); `undefined` when there is neither user nor password. */
export function basicAuthorization({
  username = '',
  password = '',
}: {
  readonly username?: string | undefined
  readonly password?: string | undefined
}): string | undefined {
  if (username === '' && password === '') return undefined
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}

/** User or password of a URL as it was meant; what is not properly escaped is taken literally. */
export function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** What is told to whom for one upstream: the single place that knows which host may get its secrets. */
export class Identity {
  readonly #upstream: Upstream
  readonly #home: URL

  /** Without an upstream, the URL that is asked for first stands for it. */
  constructor(upstream: Upstream) {
    this.#upstream = upstream
    this.#home = new URL(upstream.url)
  }

  /** Secret headers for that URL, names in lower case; none for other origins than the upstream's own. */
  secretHeaders(url: URL): Record<string, string> {
    if (!this.#isHome(url)) return {}
    const { username, password, headers = {} } = this.#upstream
    const authorization = basicAuthorization({
      username: username ?? unescaped(this.#home.username),
      password: password ?? unescaped(this.#home.password),
    })
    const secret: Record<string, string> = authorization === undefined ? {} : { authorization }
    for (const [name, value] of Object.entries(headers)) secret[name.toLowerCase()] = value
    return secret
  }

  route(url: URL): Route {
    const { tls = {}, proxy } = this.#upstream
    const isHome = this.#isHome(url)
    return {
      ca: tls.ca,
      // Redirects of an upstream with an authority of its own often lead to public hosts.
      trustsPublicAuthorities: tls.ca === undefined || !isHome,
      certificate: isHome ? tls.certificate : undefined,
      key: isHome ? tls.key : undefined,
      verify: tls.verify ?? true,
      proxy,
    }
  }

  #isHome(url: URL): boolean {
    return url.origin === this.#home.origin
  }
}
