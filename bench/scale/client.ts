import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Json } from '../../test/support/json.ts'
import { adminPassword } from '../../test/support/test-server.ts'

/** What some requests took, in milliseconds. */
export interface Times {
  readonly p50: number
  readonly p99: number
}

/** A client that keeps its one connection and asks one thing after the other. */
export class Client implements Disposable {
  readonly #api: string
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })

  constructor(api: string) {
    this.#api = api
  }

  async ask(method: string, path: string, body?: object): Promise<Json> {
    const sending = request(`${this.#api}${path}`, {
      method,
      agent: this.#agent,
      auth: `admin:${adminPassword}`,
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
    })
    sending.end(body === undefined ? undefined : JSON.stringify(body))
    const [answer] = (await once(sending, 'response')) as [IncomingMessage]
    const read = await text(answer)
    if ((answer.statusCode ?? 500) >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${read}`)
    return JSON.parse(read)
  }

  /** Asks some times without counting, then counts. */
  async time(times: number, ask: (number: number) => Promise<unknown>): Promise<Times> {
    for (let number = 0; number < times / 10; number += 1) await ask(number)
    const took: number[] = []
    for (let number = 0; number < times; number += 1) took.push(await duration(() => ask(number + times)))
    return percentiles(took)
  }

  [Symbol.dispose](): void {
    this.#agent.destroy()
  }
}

export async function duration(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

export function percentiles(took: readonly number[]): Times {
  const sorted = took.toSorted((a, b) => a - b)
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
  return { p50: at(0.5), p99: at(0.99) }
}

/** Eight clients make things at the same time; gives the ids in the order of their numbers. */
export async function inParallel(
  api: string,
  count: number,
  make: (client: Client, number: number) => Promise<{ readonly id: number }>,
): Promise<number[]> {
  const ids: number[] = []
  let next = 0
  const work = async () => {
    using client = new Client(api)
    while (next < count) {
      const number = next++
      ids[number] = (await make(client, number)).id
    }
  }
  await Promise.all(Array.from({ length: 8 }, work))
  return ids
}
