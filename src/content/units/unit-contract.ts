import { Type } from 'typebox'
import { endpoint } from '../../platform/http/endpoint.ts'
import { Id } from '../../platform/http/schemas.ts'
import { SearchQuery } from '../../platform/search/list-request.ts'

const base = '/content/api'

const filters = {
  ...SearchQuery,
  organization_id: Type.Optional(Id),
  environment_id: Type.Optional(Id),
  content_view_version_id: Type.Optional(Id),
  ids: Type.Optional(Type.Array(Id, { maxItems: 10_000, description: 'Only units with these ids' })),
}

const comparison = {
  ...SearchQuery,
  content_view_version_ids: Type.Array(Id, { minItems: 1, maxItems: 100 }),
  repository_id: Type.Optional(Id),
  restrict_comparison: Type.Optional(
    Type.Enum(['all', 'same', 'different'], { description: 'same: only what all of the versions hold; default all' }),
  ),
}

/** Katello's names where they are not the path. */
const resourceNames: ReadonlyMap<string, string> = new Map([['files', 'file_units']])

/** The addresses of the units of a kind, from the last part of their path: `files`. */
export function unitEndpoints(path: string) {
  const resource = resourceNames.get(path) ?? path
  const words = path.replaceAll('_', ' ')
  const common = { method: 'GET', status: 200, tag: 'Units' } as const
  return {
    list: endpoint({
      action: `${resource}.index`,
      ...common,
      path: `${base}/${path}`,
      summary: `List the ${words} of repositories`,
      query: Type.Object({ ...filters, repository_id: Type.Optional(Id) }),
    }),
    listOfRepository: endpoint({
      action: `${resource}.index`,
      ...common,
      path: `${base}/repositories/{repository_id}/${path}`,
      summary: `List the ${words} of a repository`,
      params: Type.Object({ repository_id: Id }),
      query: Type.Object(filters),
    }),
    compare: endpoint({
      action: `${resource}.compare`,
      ...common,
      path: `${base}/${path}/compare`,
      summary: `List the ${words} of versions of content views, and which of these hold each`,
      query: Type.Object(comparison),
    }),
    show: endpoint({
      action: `${resource}.show`,
      ...common,
      path: `${base}/${path}/{id}`,
      summary: `Show one of the ${words} of repositories`,
      params: Type.Object({ id: Id }),
    }),
    showInRepository: endpoint({
      action: `${resource}.show`,
      ...common,
      path: `${base}/repositories/{repository_id}/${path}/{id}`,
      summary: `Show one of the ${words} of a repository`,
      params: Type.Object({ repository_id: Id, id: Id }),
    }),
  }
}
