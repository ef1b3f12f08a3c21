import { createHash } from 'node:crypto'
import { expectedMethods, expectedParams } from './apidoc-expected.ts'
import { type ApidocParam, commonParams, endpointParams } from './apidoc-params.ts'
import type { Endpoint, SearchFieldNote } from './endpoint.ts'

/** The description of an API that Katello's clients fetch before anything else: they take every address from it. */
export interface Apidoc {
  /** The document as JSON. */
  readonly text: string
  /** Names the document: it changes with it, and only with it. Clients use it as the name of a file. */
  readonly checksum: string
}

interface ApidocApi {
  readonly api_url: string
  readonly http_method: string
  readonly short_description: string
  readonly deprecated: null
}

/** Describes the endpoints that have an `action`; those with the same one are the addresses of one method. */
export function apidoc(endpoints: readonly Endpoint[]): Apidoc {
  const resources: Record<string, Record<string, object>> = {}
  const searches = searchFieldsOf(endpoints)
  for (const [action, addresses] of Map.groupBy(endpoints, ({ action }) => action)) {
    if (action === undefined) continue
    const [resource = '', name = ''] = action.split('.')
    const params = commonParams(addresses.map((endpoint) => endpointParams(endpoint, sentWrapped.has(resource))))
    const search = name === 'index' ? searches.get(resource) : undefined
    const method = describeMethod(name, addresses.map(describeApi), params)
    resources[resource] = {
      ...resources[resource],
      [name]: search === undefined ? method : { ...method, metadata: { search } },
    }
  }
  for (const [resource, names] of Object.entries(expectedMethods)) {
    const expected = names.map((name) => [name, describeMethod(name, [], expectedParams(resource))])
    resources[resource] = { ...Object.fromEntries(expected), ...resources[resource] }
  }
  const text = JSON.stringify(describeAll(resources))
  return { text, checksum: createHash('sha256').update(text).digest('hex') }
}

function searchFieldsOf(endpoints: readonly Endpoint[]): ReadonlyMap<string, readonly SearchFieldNote[]> {
  return new Map(
    endpoints.flatMap(({ action = '', searchFields }) =>
      searchFields === undefined ? [] : [[action.split('.')[0] as string, searchFields] as const],
    ),
  )
}

/** Clients send the attributes of these inside of an object, those of all others flat. */
const sentWrapped: ReadonlySet<string> = new Set([
  'organizations',
  'users',
  'personal_access_tokens',
  'http_proxies',
  'settings',
])

function describeAll(resources: Readonly<Record<string, Readonly<Record<string, object>>>>): object {
  const described = Object.entries(resources).map(([id, methods]) => [id, describeResource(id, Object.values(methods))])
  return {
    docs: {
      name: 'Backhaul',
      info: '',
      copyright: '',
      doc_url: '/apidoc/v2',
      api_url: '/api',
      resources: Object.fromEntries(described),
    },
  }
}

function describeResource(id: string, methods: readonly object[]): object {
  const words = id.replaceAll('_', ' ')
  return {
    doc_url: '/docs',
    id,
    name: `${words[0]?.toUpperCase()}${words.slice(1)}`,
    short_description: null,
    full_description: null,
    version: 'v2',
    formats: null,
    metadata: null,
    headers: [],
    deprecated: false,
    methods,
  }
}

function describeMethod(name: string, apis: readonly ApidocApi[], params: readonly ApidocParam[]): object {
  return {
    name,
    doc_url: '/docs',
    apis,
    formats: null,
    full_description: '',
    errors: [],
    returns: [],
    examples: [],
    metadata: null,
    see: [],
    headers: [],
    show: true,
    params,
  }
}

function describeApi({ path, method, summary }: Endpoint): ApidocApi {
  return {
    api_url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    http_method: method,
    short_description: summary,
    deprecated: null,
  }
}
