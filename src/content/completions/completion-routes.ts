import { AppError } from '../../platform/errors.ts'
import { type Route, route } from '../../platform/http/endpoint.ts'
import { completeSearch } from '../../platform/search/complete-search.ts'
import type { Searchable } from '../../platform/search/search-fields.ts'
import { credentialSearch } from '../credentials/credential-search.ts'
import { environmentSearch } from '../environments/environment-search.ts'
import { organizationSearch } from '../organizations/organization-search.ts'
import { productSearch } from '../products/product-search.ts'
import { repositorySearch } from '../repositories/repository-search.ts'
import { versionSearch } from '../views/version-search.ts'
import { viewSearch } from '../views/view-search.ts'
import { completionEndpoint } from './completion-contract.ts'

const lists: Readonly<Record<string, Searchable>> = {
  content_credentials: credentialSearch,
  content_view_versions: versionSearch,
  content_views: viewSearch,
  lifecycle_environments: environmentSearch,
  organizations: organizationSearch,
  products: productSearch,
  repositories: repositorySearch,
}

/** Lists with another address than the name of what they list. */
const paths: Readonly<Record<string, string>> = { lifecycle_environments: 'environments' }

/** Help for those who write searches: fields, operators and known values, not what is stored. */
export function completionRoutes(): Route[] {
  return Object.entries(lists).map(([list, searchable]) =>
    route(completionEndpoint(list, searchable.fields, paths[list]), ({ query }) =>
      present(query.search ?? '', searchable),
    ),
  )
}

const operators = new Set(['and', 'or', 'not', 'has'])

function present(search: string, { fields }: Searchable): object[] {
  try {
    return completeSearch(search, fields).map(presentCompletion)
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'unsearchable')) throw error
    return [{ error: error.message }]
  }
}

/** The part that people look at begins with the last `and` or `or`. */
function presentCompletion(label: string): object {
  const [, part = label] = /^.*\b((?:and|or)\b.*)$/is.exec(label) ?? []
  const completed = label.slice(0, label.length - part.length)
  const lastWord = label.slice(label.lastIndexOf(' ') + 1)
  return { completed, part, label, category: operators.has(lastWord) ? 'Operators' : '' }
}
