import type { SeededRandom } from './seeded-random.ts'

/** The parts of a JSON schema that values can be made from. */
export interface Schema {
  readonly type?: string
  readonly anyOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

const oddTexts = [
  '',
  ' ',
  'a',
  '0',
  '-1',
  '1e9',
  '1.5',
  'true',
  'null',
  'NaN',
  '\0',
  'a\0b',
  '\ud800',
  'x\udc00',
  '😀'.repeat(40),
  'ÄÖÜ ß',
  '\u202e\u0301\ufeff',
  '../../../../etc/passwd',
  '..\\..\\windows',
  '/etc/passwd',
  '.',
  '..',
  '%00',
  '%2e%2e%2f',
  "'; drop table tasks; --",
  '" or 1=1',
  '{{7*7}}',
  '\r\nX-Injected: 1',
  '<script>alert(1)</script>',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'ftp://x/',
  'file:///etc/passwd',
  'http://',
  'not a url',
  'x'.repeat(300),
  'x'.repeat(5000),
  '2022-13-45T99:99:99Z',
  '6b0c0ef5-64b3-4b0c-9df0-4c8e1c8f3b1a',
] as const

const oddNumbers = [
  0,
  -0,
  1,
  -1,
  2,
  0.5,
  -0.5,
  255,
  256,
  65_535,
  65_536,
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 32,
  2 ** 53 - 1,
  2 ** 53,
  2 ** 63,
  -(2 ** 63),
  1e21,
  1e308,
  -1e308,
  5e-324,
] as const

const oddKeys = [
  '__proto__',
  'constructor',
  'toString',
  '',
  'a\0',
  '\ud800',
  'id',
  'name',
  'x'.repeat(300),
  'a/b',
  'a~b',
  '0',
]

/** Makes values that a schema asks for, and values that nobody asked for. */
export class OddValues {
  readonly #random: SeededRandom
  /** Gives a value that the server knows for an attribute of that name, if there is one. */
  readonly #known: (name: string) => unknown

  constructor(random: SeededRandom, known: (name: string) => unknown) {
    this.#random = random
    this.#known = known
  }

  text(): string {
    return this.#random.pick(oddTexts)
  }

  number(): number {
    return this.#random.pick(oddNumbers)
  }

  anything(depth = 0): unknown {
    const random = this.#random
    switch (random.below(depth > 3 ? 5 : 8)) {
      case 0:
        return null
      case 1:
        return random.chance(0.5)
      case 2:
        return this.number()
      case 3:
      case 4:
        return this.text()
      case 5:
        return Array.from({ length: random.below(4) }, () => this.anything(depth + 1))
      case 6:
        return Object.fromEntries(Array.from({ length: random.below(4) }, () => [this.key(), this.anything(depth + 1)]))
      default:
        return nested(random.pick([5, 40, 200]))
    }
  }

  key(): string {
    return this.#random.chance(0.5) ? this.text() : this.#random.pick(oddKeys)
  }

  /** A value that fits the schema, or nearly so. */
  fitting(schema: Schema, name = ''): unknown {
    const known = this.#random.chance(0.8) ? this.#known(name) : undefined
    if (known !== undefined) return known
    if (schema.anyOf !== undefined) return this.fitting(this.#random.pick(schema.anyOf), name)
    if (schema.enum !== undefined) return this.#random.pick(schema.enum)
    if (schema.const !== undefined) return schema.const
    return this.#ofType(schema, name)
  }

  #ofType({ type, minimum = 0, maximum = 1000, items, ...schema }: Schema, name: string): unknown {
    const random = this.#random
    switch (type) {
      case 'string':
        return `${name} ${random.below(1_000_000)}`
      case 'integer':
        return minimum + random.below(Math.min(maximum - minimum, 1000) + 1)
      case 'number':
        return minimum + random.next() * (maximum - minimum)
      case 'boolean':
        return random.chance(0.5)
      case 'null':
        return null
      case 'array':
        return Array.from({ length: 1 + random.below(2) }, () => this.fitting(items ?? {}, name))
      case 'object':
        return this.#object(schema)
      default:
        return this.anything()
    }
  }

  #object({ properties = {}, required = [] }: Schema): Record<string, unknown> {
    const wanted = Object.entries(properties).filter(([name]) => required.includes(name) || this.#random.chance(0.4))
    return Object.fromEntries(wanted.map(([name, schema]) => [name, this.fitting(schema, name)]))
  }

  /** The value with some part of it made odd. */
  mutate(value: unknown): unknown {
    const random = this.#random
    if (typeof value !== 'object' || value === null || random.chance(0.15)) return this.anything()
    if (Array.isArray(value)) return this.#mutateList(value)
    const entries = Object.entries(value)
    const at = random.below(entries.length + 1)
    if (at === entries.length || random.chance(0.15))
      return Object.fromEntries([...entries, [this.key(), this.anything()]])
    if (random.chance(0.15)) return Object.fromEntries(entries.toSpliced(at, 1))
    return Object.fromEntries(entries.map(([key, item], index) => [key, index === at ? this.mutate(item) : item]))
  }

  #mutateList(list: readonly unknown[]): unknown {
    const at = this.#random.below(list.length + 1)
    if (at === list.length) return [...list, ...list, this.anything()]
    return list.map((item, index) => (index === at ? this.mutate(item) : item))
  }
}

function nested(depth: number): unknown {
  let value: unknown = 1
  for (let i = 0; i < depth; i += 1) value = i % 2 === 0 ? [value] : { x: value }
  return value
}
