import { Type } from 'typebox'
import { endpoint } from '../../platform/http/endpoint.ts'
import { Id, Nullable, OptionalNullable } from '../../platform/http/schemas.ts'
import { Description, ListQuery, Name } from '../contract-parts.ts'
import { contentTypes } from '../types/index.ts'

const filterKinds = contentTypes.flatMap(({ filters = [] }) => filters)

/** What rules of filters of any type may say; which of it is for a filter its type decides. */
const ruleAttributes = Object.fromEntries(
  filterKinds.flatMap(({ rule }) =>
    Object.entries(rule.properties).map(([name, schema]) => [name, OptionalNullable(schema)]),
  ),
)

/** What filters of any type may be told besides. */
const options = Object.fromEntries(
  filterKinds
    .flatMap((kind) => Object.entries(kind.options ?? {}))
    .map(([name, description]) => [name, Type.Optional(Type.Boolean({ description }))]),
)

const Filter = Type.Object({
  id: Id,
  name: Type.String(),
  description: Nullable(Type.String()),
  type: Type.String(),
  inclusion: Type.Boolean(),
  rules: Type.Array(Type.Unknown()),
  repositories: Type.Array(Type.Unknown()),
})
const Rule = Type.Object({ id: Id })

const base = '/content/api/content_view_filters'
const ofView = '/content/api/content_views/{content_view_id}/filters'
const filterTag = 'Content view filters'
const One = Type.Object({ id: Id })
const View = Type.Object({ content_view_id: Id })
const RepositoryIds = OptionalNullable(
  Type.Array(Id, { maxItems: 10_000, description: 'In Library; none means all repositories of the view' }),
)
const attributes = {
  name: Name,
  type: Type.Enum(filterKinds.map(({ name }) => name)),
  inclusion: Type.Optional(Type.Boolean({ description: 'Whether only what it names is published; default false' })),
  description: OptionalNullable(Description),
  repository_ids: RepositoryIds,
  ...options,
}
const changes = {
  name: Type.Optional(Name),
  inclusion: attributes.inclusion,
  description: attributes.description,
  repository_ids: RepositoryIds,
  ...options,
}

const oneFilter = { status: 200, tag: filterTag, path: `${base}/{id}`, params: One } as const
const oneOfView = {
  status: 200,
  tag: filterTag,
  path: `${ofView}/{id}`,
  params: Type.Object({ content_view_id: Id, id: Id }),
} as const

const ruleTag = 'Content view filter rules'
const Rules = Type.Object({ content_view_filter_id: Id })
const rules = `${base}/{content_view_filter_id}/rules`
const oneRule = {
  status: 200,
  tag: ruleTag,
  path: `${rules}/{id}`,
  params: Type.Object({ content_view_filter_id: Id, id: Id }),
} as const

export const filterEndpoints = {
  list: endpoint({
    action: 'content_view_filters.index',
    method: 'GET',
    path: base,
    status: 200,
    summary: 'List the filters of a content view',
    tag: filterTag,
    query: Type.Object({ ...ListQuery, content_view_id: Id }),
  }),
  listOfView: endpoint({
    action: 'content_view_filters.index',
    method: 'GET',
    path: ofView,
    status: 200,
    summary: 'List the filters of a content view',
    tag: filterTag,
    params: View,
    query: Type.Object(ListQuery),
  }),
  create: endpoint({
    action: 'content_view_filters.create',
    method: 'POST',
    path: base,
    status: 201,
    summary: 'Add a filter to a content view; it acts when the view is published',
    tag: filterTag,
    body: Type.Object({ content_view_id: Id, ...attributes }),
    reply: Filter,
  }),
  createInView: endpoint({
    action: 'content_view_filters.create',
    method: 'POST',
    path: ofView,
    status: 201,
    summary: 'Add a filter to a content view; it acts when the view is published',
    tag: filterTag,
    params: View,
    body: Type.Object(attributes),
    reply: Filter,
  }),
  show: endpoint({
    ...oneFilter,
    action: 'content_view_filters.show',
    method: 'GET',
    summary: 'Show a filter',
    reply: Filter,
  }),
  showInView: endpoint({
    ...oneOfView,
    action: 'content_view_filters.show',
    method: 'GET',
    summary: 'Show a filter',
    reply: Filter,
  }),
  update: endpoint({
    ...oneFilter,
    action: 'content_view_filters.update',
    method: 'PUT',
    summary: 'Change a filter',
    body: Type.Object(changes),
    reply: Filter,
  }),
  updateInView: endpoint({
    ...oneOfView,
    action: 'content_view_filters.update',
    method: 'PUT',
    summary: 'Change a filter',
    body: Type.Object(changes),
    reply: Filter,
  }),
  delete: endpoint({
    ...oneFilter,
    action: 'content_view_filters.destroy',
    method: 'DELETE',
    summary: 'Delete a filter',
    reply: Filter,
  }),
  deleteInView: endpoint({
    ...oneOfView,
    action: 'content_view_filters.destroy',
    method: 'DELETE',
    summary: 'Delete a filter',
    reply: Filter,
  }),
  listRules: endpoint({
    action: 'content_view_filter_rules.index',
    method: 'GET',
    path: rules,
    status: 200,
    summary: 'List the rules of a filter',
    tag: ruleTag,
    params: Rules,
    query: Type.Object({ ...ListQuery, errata_id: Type.Optional(Type.String()) }),
  }),
  createRule: endpoint({
    action: 'content_view_filter_rules.create',
    method: 'POST',
    path: rules,
    status: 201,
    summary: 'Add a rule to a filter, which names what any of its rules does',
    tag: ruleTag,
    params: Rules,
    body: Type.Object(ruleAttributes),
    reply: Rule,
  }),
  showRule: endpoint({
    ...oneRule,
    action: 'content_view_filter_rules.show',
    method: 'GET',
    summary: 'Show a rule',
    reply: Rule,
  }),
  updateRule: endpoint({
    ...oneRule,
    action: 'content_view_filter_rules.update',
    method: 'PUT',
    summary: 'Change a rule',
    body: Type.Object(ruleAttributes),
    reply: Rule,
  }),
  deleteRule: endpoint({
    ...oneRule,
    action: 'content_view_filter_rules.destroy',
    method: 'DELETE',
    summary: 'Delete a rule',
    reply: Rule,
  }),
}
