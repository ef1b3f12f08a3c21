import type { TSchema } from 'typebox'
import type { Endpoint } from './endpoint.ts'
import { type Family, familyOf } from './family.ts'

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, TSchema & { description?: string }>>
  readonly required?: readonly string[]
}

/** Describes the endpoints in OpenAPI 3.1, whose schemas are the very JSON schemas that requests are checked with. */
export function openApi(endpoints: readonly Endpoint[], version: string): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const endpoint of endpoints) {
    // OpenAPI has no variable for more than one part of a path
    const path = endpoint.path.replace('{path...}', '{path}')
    const methods = paths[path] ?? {}
    paths[path] = { ...methods, [endpoint.method.toLowerCase()]: operation(endpoint) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Backhaul', version },
    components: {
      securitySchemes: { basic: { type: 'http', scheme: 'basic' }, bearer: { type: 'http', scheme: 'bearer' } },
    },
    security: [{ basic: [] }, { bearer: [] }],
    paths,
  }
}

function operation(endpoint: Endpoint): object {
  const { summary, tag, access, status, reply, path } = endpoint
  return {
    summary,
    tags: [tag],
    ...(access === 'public' ? { security: [] } : {}),
    parameters: [...parameters('path', endpoint.params), ...parameters('query', endpoint.query)],
    ...requestBody(endpoint),
    responses: {
      [status]: {
        description: 'Success',
        ...(reply === undefined ? {} : { content: { 'application/json': { schema: reply } } }),
      },
      default: { description: errorWords[familyOf(path)] },
    },
  }
}

function requestBody({ body, streamsBody }: Endpoint): object {
  if (streamsBody === true) return { requestBody: { content: { 'application/octet-stream': {} } } }
  return body === undefined ? {} : { requestBody: { content: { 'application/json': { schema: body } } } }
}

const errorWords = {
  links: 'An error: {"message", "status"}, on 400 also "path", "request" and "method"',
  content: 'An error: {"displayMessage", "errors"}; {"error": {"message"}} for 401, 403, 415 and 429',
  plain: 'An error: {"error": {"message"}}',
} as const satisfies Record<Family, string>

function parameters(place: 'path' | 'query', schema: TSchema | undefined): object[] {
  const { properties = {}, required = [] } = (schema ?? {}) as ObjectSchema
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(property.description === undefined ? {} : { description: property.description }),
    schema: property,
  }))
}
