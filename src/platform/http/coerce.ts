import type { TSchema } from 'typebox'

/** The parts of a JSON schema that say what text may stand for. */
interface SchemaParts {
  readonly type?: string
  readonly anyOf?: readonly TSchema[]
  readonly properties?: Readonly<Record<string, TSchema>>
  readonly items?: TSchema
}

const booleans = new Map<unknown, boolean>([
  ['true', true],
  ['false', false],
  ['1', true],
  ['0', false],
  [1, true],
  [0, false],
])

/**
 * Reads numbers and booleans that came as text, where the schema wants a number or a boolean. What cannot be one
 * is left as it is, for the check to refuse. Query strings also make a list of a single value.
 */
export function coerce(schema: TSchema, value: unknown): unknown {
  const parts = schema as SchemaParts
  if (parts.anyOf !== undefined) return coerceUnion(parts.anyOf, value)
  switch (parts.type) {
    case 'boolean':
      return booleans.get(value) ?? value
    case 'integer':
    case 'number':
      return typeof value === 'string' ? coerceNumber(value) : value
    case 'array':
      return coerceArray(parts, value)
    case 'object':
      return coerceObject(parts, value)
    default:
      return value
  }
}

function coerceUnion(schemas: readonly TSchema[], value: unknown): unknown {
  if (value === null) return null
  const first = schemas.find((schema) => (schema as SchemaParts).type !== 'null')
  return first === undefined ? value : coerce(first, value)
}

function coerceNumber(text: string): unknown {
  return /^-?\d{1,20}(\.\d{1,20})?$/.test(text) ? Number(text) : text
}

function coerceArray({ items }: SchemaParts, value: unknown): unknown {
  if (!Array.isArray(value) || items === undefined) return value
  return value.map((item) => coerce(items, item))
}

function coerceObject({ properties }: SchemaParts, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || properties === undefined) return value
  const entries = Object.entries(value).map(([key, item]) => {
    const schema = Object.hasOwn(properties, key) ? properties[key] : undefined
    return [key, schema === undefined ? item : coerce(schema, item)]
  })
  return Object.fromEntries(entries)
}
