/**
 * Where something comes from, as a person configured it: what may be told to whom hangs on `url`.
 *
 * User, password, headers and client certificate go to the origin (scheme, host, port) of `url` and nowhere else:
 * not to redirect targets, not to other hosts that metadata names. User and password may also be part of `url`.
 */
export interface Upstream {
  readonly url: string
  readonly username?: string | undefined
  readonly password?: string | undefined
  /** Secret headers such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly tls?: UpstreamTls | undefined
  readonly proxy?: UpstreamProxy | undefined
}

export interface UpstreamTls {
  /** PEM. The origin of the upstream must be certified by this; other hosts by this or a well-known authority. */
  readonly ca?: string | undefined
  /** PEM, with `key`: shown to the origin of the upstream only. */
  readonly certificate?: string | undefined
  readonly key?: string | undefined
  /** False accepts any certificate, of every host that the upstream leads to. */
  readonly verify?: boolean | undefined
}

/** Used for every host that the upstream leads to. https goes through a tunnel, http is asked for by the proxy. */
export interface UpstreamProxy {
  /** What failures call it. */
  readonly name?: string | undefined
  /** `http:` or `https:` */
  readonly url: string
  readonly username?: string | undefined
  readonly password?: string | undefined
  /** An administrator chose it: it may have a private address even where those are denied. */
  readonly isTrusted?: boolean | undefined
}

export interface FetchOptions {
  /** Without it only credentials inside the URL itself are used, for its own origin. */
  readonly upstream?: Upstream | undefined
  /** Headers that are no secret; every host gets them. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly method?: 'GET' | 'HEAD' | undefined
  /** What the caller has already, in the upstream's words: 304 is then a normal answer. */
  readonly conditions?: Validators | undefined
  readonly maxRedirects?: number | undefined
  /** How often the upstream is asked at most; absent = as the fetcher was told. */
  readonly attempts?: number | undefined
  /** Aborting it ends everything at once, with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** The values of an answer's `etag` and `last-modified` headers. */
export interface Validators {
  readonly etag?: string | undefined
  readonly lastModified?: string | undefined
}

/** An answer whose body is still to be read. Its holder reads the body to its end or disposes of the answer. */
export interface FetchedBody extends AsyncDisposable {
  /** 200 to 299, or 304 when conditions were given. */
  readonly status: number
  readonly headers: Headers
  /** Where it came from in the end, without credentials. */
  readonly url: string
  /** What the answer says its size is; `undefined` when it does not. */
  readonly sizeBytes: number | undefined
  /**
   * Can be read once; throws FetchError when the upstream breaks off. Long bodies that break off are continued where
   * they stopped, when the upstream offers that.
   */
  readonly body: AsyncIterable<Uint8Array>
}

export interface Timeouts {
  /** Until the connection (with TLS) stands. */
  readonly connectMs: number
  /** From the request until the answer begins. */
  readonly answerMs: number
  /** Between two pieces of a body. There is no limit for the whole. */
  readonly stallMs: number
}

export const defaultTimeouts: Timeouts = { connectMs: 10_000, answerMs: 60_000, stallMs: 30_000 }
