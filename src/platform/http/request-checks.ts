import { Type } from 'typebox'
import { invalidField } from '../errors.ts'
import { isRecord, unwrap } from './body.ts'
import { checker } from './check.ts'
import type { Endpoint } from './endpoint.ts'
import { familyOf } from './family.ts'

/** What a request carries, read but not yet checked. */
export interface ReadRequest {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
}

const nothing = Type.Object({})

/** Makes the function that gives what the endpoint's handler is promised, or refuses the request with `invalid`. */
export function requestCheck(endpoint: Endpoint): (read: ReadRequest) => ReadRequest {
  const checkParams = checker(endpoint.params ?? nothing, 'text')
  const checkQuery = checker(endpoint.query ?? nothing, 'text')
  const checkBody = checker(endpoint.body ?? nothing, familyOf(endpoint.path) === 'links' ? 'json' : 'text')

  return ({ params, query, body }) => ({
    params: checkParams(params),
    query: checkQuery(known(endpoint.query, listsIn(endpoint.query, query))),
    body: checkBody(bodyFor(endpoint, body)),
  })
}

function bodyFor({ body: schema, wrapper, unknownKeys }: Endpoint, body: unknown): unknown {
  if (schema === undefined) return {}
  const attributes = unwrap(body, wrapper)
  return unknownKeys === 'refuse' ? attributes : known(schema, attributes)
}

/** Only the keys that the schema names: what is not declared is not heard. */
function known(schema: unknown, value: unknown): unknown {
  if (!isRecord(value)) return value
  const { properties, additionalProperties } = (schema ?? nothing) as {
    properties?: object
    additionalProperties?: unknown
  }
  if (properties === undefined || additionalProperties === true) return value
  return Object.fromEntries(Object.entries(value).filter(([key]) => Object.hasOwn(properties, key)))
}

/** `ids[]=1&ids[]=2`, `ids=1&ids=2` and `ids=1` are the same list; two values for one that is no list are refused. */
function listsIn(schema: unknown, query: unknown): unknown {
  if (!isRecord(query)) return query
  const properties = (schema as { properties?: Record<string, { type?: string }> } | undefined)?.properties ?? {}
  const entries = Object.entries(query).map(([rawKey, value]) => {
    const key = rawKey.endsWith('[]') ? rawKey.slice(0, -2) : rawKey
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined
    return [key, property === undefined ? value : asDeclared(key, property.type, value)]
  })
  return Object.fromEntries(entries)
}

function asDeclared(key: string, type: string | undefined, value: unknown): unknown {
  if (type === 'array') return Array.isArray(value) ? value : [value]
  if (Array.isArray(value)) throw invalidField(key, 'is given twice')
  return value
}
