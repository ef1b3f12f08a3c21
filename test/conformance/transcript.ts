import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Asking, adminPassword, ask as askServer, type TestServer } from '../support/test-server.ts'

export interface Step {
  readonly name: string
  readonly request: { readonly method: string; readonly path: string; readonly body: unknown }
  readonly status: number
  readonly body: unknown
}

export interface Played {
  readonly step: Step
  readonly status: number
  readonly body: unknown
  /** Where the answer is not what was recorded: `status`, or a path into the body such as `body.filters.delay[0]`. */
  readonly differences: readonly string[]
}

/** What was recorded of the original, in order. */
export function readTranscript(): Step[] {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'links-transcript.json'), 'utf8'))
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

/** Asks what was asked then, with our ids in the place of the recorded ones, and compares the answers. */
export async function play(server: TestServer, steps: readonly Step[]): Promise<Played[]> {
  const ours = new Map<string, string>()
  const theirs = new Map<string, string>()
  const translate = (text: string, ids: ReadonlyMap<string, string>) => text.replaceAll(uuid, (id) => ids.get(id) ?? id)
  const played: Played[] = []
  for (const step of steps) {
    const { method, path, body } = step.request
    const url = new URL(translate(path, ours), server.api)
    const sent = bodyOf(step, body === null ? undefined : JSON.parse(translate(JSON.stringify(body), ours)))
    const answer = await ask(url, { method, body: sent })
    if (step.status === 201) learn(step.body, answer.body, { ours, theirs })
    const given = answer.body === '' ? null : JSON.parse(translate(JSON.stringify(answer.body), theirs))
    const differences = [
      ...(answer.status === step.status ? [] : ['status']),
      ...compare(step.body, given, 'body').filter((place) => !isOfTheMachine(place)),
    ]
    played.push({ step, status: answer.status, body: given, differences })
  }
  return played
}

/** Of a capture, which does not end while it runs, the beginning is enough. */
async function ask(url: URL, asking: Asking): Promise<{ status: number; body: unknown }> {
  if (!url.pathname.endsWith('/pcap')) return askServer(url, asking)
  const authorization = `Basic ${Buffer.from(`admin:${adminPassword}`).toString('base64')}`
  const response = await fetch(url, { headers: { authorization } })
  if (response.status !== 200) return { status: response.status, body: await response.json() }
  for await (const chunk of response.body as ReadableStream<Uint8Array>)
    return { status: 200, body: Buffer.from(chunk.subarray(0, 4)).toString('hex') }
  return { status: 200, body: '' }
}

/** The one request that was recorded with a body that is no JSON. */
function bodyOf({ name }: Step, body: unknown): unknown {
  return name === 'create: invalid json' ? '{nope' : body
}

/** Ids that were made by this answer stand for those that were made then. */
function learn(
  recorded: unknown,
  given: unknown,
  { ours, theirs }: Record<'ours' | 'theirs', Map<string, string>>,
): void {
  for (const key of ['project_id', 'node_id', 'link_id']) {
    const then = (recorded as Record<string, unknown>)[key]
    const now = (given as Record<string, unknown>)[key]
    if (typeof then !== 'string' || typeof now !== 'string' || ours.has(then)) continue
    ours.set(then, now)
    theirs.set(now, then)
  }
}

/** Paths of folders, ports and what else differs between any two machines. */
function isOfTheMachine(place: string): boolean {
  return /\.(path|node_directory|capture_file_path|console|cpu_usage_percent|memory_usage_percent|name_of_machine)$/.test(
    place,
  )
}

function compare(recorded: unknown, given: unknown, place: string): string[] {
  if (isMap(recorded) && isMap(given)) {
    const keys = new Set([...Object.keys(recorded), ...Object.keys(given)])
    return [...keys].flatMap((key) => compare(recorded[key], given[key], `${place}.${key}`))
  }
  if (Array.isArray(recorded) && Array.isArray(given) && recorded.length === given.length)
    return recorded.flatMap((item, index) => compare(item, given[index], `${place}[${index}]`))
  return JSON.stringify(recorded) === JSON.stringify(given) ? [] : [place]
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
