import type { FetchedBody } from '../../src/platform/fetch/fetch-options.ts'
import { createFetcher, type Fetcher, type FetcherOptions } from '../../src/platform/fetch/fetcher.ts'
import { createLogger } from '../../src/platform/log.ts'

export interface ImpatientFetcher extends AsyncDisposable {
  readonly fetcher: Fetcher
  /** The pauses in milliseconds that it would have made between attempts; it makes none. */
  readonly pauses: readonly number[]
}

/** A fetcher with short timeouts that asks three times at most, without pauses. */
export function createImpatientFetcher(options: Partial<FetcherOptions> = {}): ImpatientFetcher {
  const pauses: number[] = []
  const sleep = async (ms: number) => {
    pauses.push(ms)
  }
  const fetcher = createFetcher({
    logger: createLogger('silent'),
    deny: 'none',
    timeouts: { connectMs: 500, answerMs: 200, stallMs: 200 },
    ...options,
    retry: { attempts: 3, firstPauseMs: 100, random: () => 0, sleep, ...options.retry },
  })
  return { fetcher, pauses, [Symbol.asyncDispose]: () => fetcher[Symbol.asyncDispose]() }
}

/** Reads an answer to its end. */
export async function readText({ body }: FetchedBody): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
