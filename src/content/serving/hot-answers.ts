import type { IncomingMessage, ServerResponse } from 'node:http'

/** A whole answer to who asks for a file without conditions. */
export interface HotAnswer {
  readonly headers: Readonly<Record<string, string | number>>
  readonly etag: string
  readonly body: Buffer
}

interface Kept extends HotAnswer {
  readonly keptAtMs: number
}

export interface HotAnswersOptions {
  /** Monotonic. */
  readonly nowMs: () => number
  readonly maxBytes?: number
}

/** Larger files gain little from it. */
export const largestHotBytes = 128 * 1024

const defaultMaxBytes = 32 * 1024 * 1024

/** What changed is announced; should that fail, an answer is never older than this. */
const longestMs = 1000

/** What the rest of an answer costs besides its body. */
const overheadBytes = 1000

/**
 * Answers for small published files, by the address that was asked for. They hold until anything is published, protected or
 * deleted: then all are forgotten (`forget`). Bounded in memory; what was not asked for the longest goes first.
 */
export class HotAnswers {
  readonly #nowMs: () => number
  readonly #maxBytes: number
  readonly #kept = new Map<string, Kept>()
  #bytes = 0
  /** Counts the times that all was forgotten. */
  #generation = 0

  constructor({ nowMs, maxBytes = defaultMaxBytes }: HotAnswersOptions) {
    this.#nowMs = nowMs
    this.#maxBytes = maxBytes
  }

  /** To be asked for before an answer is looked up, and given back with it. */
  get generation(): number {
    return this.#generation
  }

  /** Keeps an answer unless something changed since `generation` was asked for: it may be an old one then. */
  keep(url: string, answer: HotAnswer, generation: number): void {
    if (generation !== this.#generation || answer.body.length > largestHotBytes) return
    this.#drop(url)
    this.#kept.set(url, { ...answer, keptAtMs: this.#nowMs() })
    this.#bytes += answer.body.length + overheadBytes
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#maxBytes) return
      this.#drop(oldest)
    }
  }

  forget(): void {
    this.#generation += 1
    this.#kept.clear()
    this.#bytes = 0
  }

  /** Answers from memory, or gives false: whoever else can has to. */
  serve(request: IncomingMessage, response: ServerResponse): boolean {
    const { method, url = '', headers } = request
    if (method !== 'GET' || headers.range !== undefined || headers['if-modified-since'] !== undefined) return false
    const answer = this.#kept.get(url)
    if (answer === undefined) return false
    if (this.#nowMs() - answer.keptAtMs > longestMs) {
      this.#drop(url)
      return false
    }
    return send(answer, { response, wanted: headers['if-none-match'] })
  }

  #drop(url: string): void {
    const answer = this.#kept.get(url)
    if (answer === undefined) return
    this.#kept.delete(url)
    this.#bytes -= answer.body.length + overheadBytes
  }
}

function send(
  { headers, etag, body }: HotAnswer,
  { response, wanted }: { response: ServerResponse; wanted: string | undefined },
): boolean {
  // lists of tags and weak ones are for the code that knows them all
  if (wanted !== undefined && wanted !== etag) return false
  if (wanted === undefined) response.writeHead(200, headers).end(body)
  else response.writeHead(304, { etag, 'cache-control': headers['cache-control'] as string }).end()
  return true
}
