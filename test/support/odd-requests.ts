import { OddValues, type Schema } from './odd-values.ts'
import type { SeededRandom } from './seeded-random.ts'

export interface OddRequest {
  readonly method: string
  /** As it is sent, with its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | undefined
}

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required: boolean
  readonly schema: Schema
}

interface Operation {
  readonly method: string
  readonly path: string
  readonly parameters: readonly Parameter[]
  readonly body: Schema | undefined
}

// biome-ignore lint/suspicious/noExplicitAny: the document as it is published
type OpenApi = any

const otherMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']
const oddTypes = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'none',
  '',
  ';;',
  'application/json; charset=utf-16',
  'APPLICATION/JSON',
]
const oddHeaders: readonly (readonly [string, string])[] = [
  ['content-encoding', 'gzip'],
  ['content-encoding', 'nonsense'],
  ['accept', 'text/html'],
  ['accept', 'nonsense'],
  ['range', 'bytes=0-0,-1'],
  ['if-none-match', '*'],
  ['origin', 'https://elsewhere.example'],
  ['x-forwarded-for', '\u00ff\u00fe'],
  ['expect', '100-continue'],
  ['x-http-method-override', 'DELETE'],
]
const oddPathParts = [
  '%00',
  '%ff',
  '%zz',
  '%',
  '%2e%2e',
  '..',
  '.',
  '%2f',
  '%5c',
  '%F0%9F%98%80',
  '%ED%A0%80',
  '4711',
  '-1',
  '0',
  '1e3',
  '9007199254740993',
  '99999999999999999999',
  'null',
  '__proto__',
  '*',
  "';--",
  'x'.repeat(1500),
  '6b0c0ef5-64b3-4b0c-9df0-4c8e1c8f3b1a',
]

/** Makes requests from a published OpenAPI document, most of them wrong in some way. */
export class OddRequests {
  readonly #random: SeededRandom
  readonly #operations: readonly Operation[]
  readonly #known: (name: string, path: string) => unknown

  /** `known` gives values that exist: of an attribute, or of a variable of that path. */
  constructor(random: SeededRandom, openApi: OpenApi, known: (name: string, path: string) => unknown) {
    this.#random = random
    this.#known = known
    this.#operations = Object.entries<OpenApi>(openApi.paths).flatMap(([path, methods]) =>
      Object.entries<OpenApi>(methods).map(([method, { parameters, requestBody }]) => ({
        method: method.toUpperCase(),
        path,
        parameters,
        body: requestBody?.content['application/json']?.schema,
      })),
    )
  }

  next(): OddRequest {
    const random = this.#random
    const operation = this.#operation()
    const method = random.chance(0.06) ? random.pick(otherMethods) : operation.method
    const body = this.#body(operation)
    const headers: Record<string, string> = {}
    if (body !== undefined) headers['content-type'] = random.chance(0.05) ? random.pick(oddTypes) : 'application/json'
    if (random.chance(0.05)) {
      const [name, value] = random.pick(oddHeaders)
      headers[name] = value
    }
    return { method, path: this.#path(operation) + this.#query(operation), headers, body }
  }

  /** Seldom one that deletes, or little would be left for the others. */
  #operation(): Operation {
    const operation = this.#random.pick(this.#operations)
    return operation.method === 'DELETE' && this.#random.chance(0.8) ? this.#operation() : operation
  }

  #values(path: string): OddValues {
    return new OddValues(this.#random, (name) => this.#known(name, path))
  }

  #path({ path }: Operation): string {
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const known = this.#random.chance(0.85) ? this.#known(name, path) : undefined
      return known === undefined ? this.#random.pick(oddPathParts) : encodeURIComponent(String(known))
    })
    if (this.#random.chance(0.98)) return filled
    return filled + this.#random.pick(['/', '//', '/..', '/%00', '%', ';x=y', '/x'])
  }

  #query({ path, parameters }: Operation): string {
    const random = this.#random
    const values = this.#values(path)
    const given = parameters.filter(
      (parameter) => parameter.in === 'query' && (parameter.required || random.chance(0.3)),
    )
    const pairs = given.map(({ name, schema }) => {
      const value = random.chance(0.5) ? values.fitting(schema, name) : values.anything()
      return `${name}${random.chance(0.1) ? '[]' : ''}=${encoded(value)}`
    })
    if (random.chance(0.05)) pairs.push(...pairs)
    if (random.chance(0.05))
      pairs.push(random.pick(['%', '=', '&&', '%ff=%zz', '__proto__=1', 'a[b][c]=d', `x=${'y'.repeat(3000)}`]))
    return pairs.length === 0 ? '' : `?${pairs.join('&')}`
  }

  #body({ path, body: schema }: Operation): Buffer | undefined {
    const random = this.#random
    if (schema === undefined && random.chance(0.8)) return undefined
    const values = this.#values(path)
    let value = schema === undefined ? values.anything() : values.fitting(schema)
    for (let times = random.pick([0, 1, 1, 2, 3]); times > 0; times -= 1) value = values.mutate(value)
    if (random.chance(0.1))
      value = { [random.pick(['repository', 'product', 'user', 'personal_access_token', 'x'])]: value }
    const bytes = Buffer.from(JSON.stringify(value) ?? '')
    return random.chance(0.05) ? this.#broken(bytes) : bytes
  }

  #broken(bytes: Buffer): Buffer {
    const at = this.#random.below(bytes.length + 1)
    const junk = this.#random.pick(['', '{', ']', ',', '\0', '"', 'NaN', '\ufeff', '1e999'])
    const isCut = this.#random.chance(0.5)
    return Buffer.concat([
      bytes.subarray(0, at),
      Buffer.from(junk),
      Buffer.from([0xff]),
      isCut ? Buffer.alloc(0) : bytes.subarray(at),
    ])
  }
}

/** Percent-encodes what text there is, and leaves alone what cannot be. */
function encoded(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return encodeURIComponent(text.toWellFormed())
}
