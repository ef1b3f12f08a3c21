import type { Logger } from '../log.ts'
import { continued } from './continued-body.ts'
import { Identity } from './credentials.ts'
import { type Deny, Dispatchers } from './dispatchers.ts'
import { type ExchangeParts, exchange } from './exchange.ts'
import type { FetchError } from './fetch-error.ts'
import { defaultTimeouts, type FetchedBody, type FetchOptions, type Timeouts } from './fetch-options.ts'
import type { Question } from './question.ts'
import { parseRequestedUrl } from './requested-url.ts'
import { defaultRetryPolicy, type RetryPolicy, withRetries } from './retry.ts'
import { shownUrl } from './shown-url.ts'

export interface FetcherOptions {
  readonly logger: Logger
  /** `private` refuses to connect to private addresses, whatever name or redirect leads there. */
  readonly deny: Deny
  readonly userAgent?: string
  readonly timeouts?: Partial<Timeouts>
  readonly retry?: Partial<RetryPolicy>
  /** A body that breaks off is continued instead of begun anew once this much of it is there. */
  readonly continueAfterBytes?: number
}

/**
 * The way to other people's HTTP servers. Everything that goes wrong there is a FetchError (`upstream`) whose message
 * names URL and reason and whose `status` is what was answered; failures that may pass are tried again first.
 * Credentials appear in no message and no log.
 *
 * @throws AppError `invalid` for URLs that are not http or https, denied addresses and unusable certificates
 */
export interface Fetcher extends AsyncDisposable {
  /** Asks for a URL. Tries again until an answer begins; a body that breaks off later is the caller's concern. */
  open(url: URL | string, options?: FetchOptions): Promise<FetchedBody>

  /**
   * Asks for a URL and lets `reader` read the answer. Both are tried again when the body breaks off or `reader` throws
   * a temporary FetchError: it must then start anew. The answer is disposed of when `reader` is done.
   */
  read<T>(url: URL | string, options: FetchOptions, reader: (answer: FetchedBody) => Promise<T>): Promise<T>
}

const leastContinuedBytes = 64 * 1024

/** Opens nothing yet. Disposal breaks off what still runs. */
export function createFetcher(options: FetcherOptions): Fetcher {
  const timeouts = { ...defaultTimeouts, ...options.timeouts }
  const dispatchers = new Dispatchers({ deny: options.deny, timeouts })
  return new PooledFetcher(options, {
    dispatchers,
    timeouts,
    deny: options.deny,
    userAgent: options.userAgent ?? 'backhaul',
  })
}

class PooledFetcher implements Fetcher {
  readonly #parts: ExchangeParts
  readonly #policy: RetryPolicy
  readonly #logger: Logger
  readonly #continueAfterBytes: number

  constructor({ logger, retry, continueAfterBytes = leastContinuedBytes }: FetcherOptions, parts: ExchangeParts) {
    this.#parts = parts
    this.#policy = { ...defaultRetryPolicy, ...retry }
    this.#logger = logger
    this.#continueAfterBytes = continueAfterBytes
  }

  async open(url: URL | string, options: FetchOptions = {}): Promise<FetchedBody> {
    const question = toQuestion(url, options)
    return withRetries(this.#retrying(question), () => this.#ask(question))
  }

  async read<T>(url: URL | string, options: FetchOptions, reader: (answer: FetchedBody) => Promise<T>): Promise<T> {
    const question = toQuestion(url, options)
    return withRetries(this.#retrying(question), async () => {
      await using answer = await this.#ask(question)
      return await reader(answer)
    })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#parts.dispatchers[Symbol.asyncDispose]()
  }

  async #ask(question: Question): Promise<FetchedBody> {
    return continued(await exchange(this.#parts, question), {
      leastBytes: this.#continueAfterBytes,
      attempts: question.options.attempts ?? this.#policy.attempts,
      reopen: (range, broken) => this.#askAgain({ ...question, range }, broken),
    })
  }

  /** The failure that made this necessary counts as the first one, so that there is a pause before the next attempt. */
  #askAgain(question: Question, broken: FetchError): Promise<FetchedBody> {
    let isFirst = true
    return withRetries(this.#retrying(question), async () => {
      if (!isFirst) return exchange(this.#parts, question)
      isFirst = false
      throw broken
    })
  }

  #retrying({ url, options: { attempts, signal } }: Question) {
    const onPause = (error: FetchError, pauseMs: number) => {
      this.#logger.debug({ url: shownUrl(url), reason: error.message, pauseMs }, 'an upstream is asked again')
    }
    return { policy: this.#policy, attempts, signal, onPause }
  }
}

function toQuestion(wanted: URL | string, options: FetchOptions): Question {
  const url = parseRequestedUrl(String(wanted))
  return { url, identity: new Identity(options.upstream ?? { url: url.href }), options }
}
