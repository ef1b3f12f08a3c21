import { Type } from 'typebox'
import { endpoint } from '../../platform/http/endpoint.ts'
import { OptionalNullable } from '../../platform/http/schemas.ts'
import { NodeName } from '../nodes/node-contract.ts'
import { nodeKinds } from '../nodes/node-kinds.ts'

const Coordinate = Type.Number({ minimum: -1_000_000, maximum: 1_000_000 })

/** What clients show of a template; kept and given back. */
const looks = {
  category: Type.Optional(Type.Enum(['guest', 'switch', 'router', 'firewall'])),
  default_name_format: Type.Optional(NodeName),
  symbol: OptionalNullable(Type.String({ maxLength: 255 })),
  usage: Type.Optional(Type.String({ maxLength: 10_000 })),
  console_auto_start: Type.Optional(Type.Boolean()),
}

/** What is known of every template, whatever its type; all other keys are properties of its nodes. */
const common = {
  ...looks,
  compute_id: OptionalNullable(Type.Enum(['local'])),
  console_type: OptionalNullable(Type.String({ maxLength: 20 })),
  builtin: Type.Optional(Type.Boolean()),
  template_id: OptionalNullable(Type.String({ format: 'uuid' })),
}

/** Those of the given keys that are looks, and those that only the template's type knows. */
export function splitTemplate(given: Readonly<Record<string, unknown>>) {
  const entries = Object.entries(given)
  return {
    looks: Object.fromEntries(entries.filter(([key]) => Object.hasOwn(looks, key))),
    properties: Object.fromEntries(
      entries.filter(([key]) => !Object.hasOwn(common, key) && key !== 'name' && key !== 'template_type'),
    ),
  }
}

const Template = Type.Object({
  template_id: Type.String(),
  template_type: Type.String(),
  name: Type.String(),
  builtin: Type.Boolean(),
})

const tag = 'Templates'
const one = { tag, params: Type.Object({ template_id: Type.String() }), reply: Template }
const template = '/v2/templates/{template_id}'

export const templateEndpoints = {
  list: endpoint({
    method: 'GET',
    path: '/v2/templates',
    status: 200,
    summary: 'List what nodes can be made from',
    tag,
    reply: Type.Array(Template),
  }),
  create: endpoint({
    method: 'POST',
    path: '/v2/templates',
    status: 201,
    summary: 'Add a template; besides these keys it takes the properties of its kind of node',
    tag,
    body: Type.Object(
      { ...common, name: NodeName, template_type: Type.Enum(nodeKinds.map(({ type }) => type)) },
      { additionalProperties: true },
    ),
    reply: Template,
  }),
  show: endpoint({ ...one, method: 'GET', path: template, status: 200, summary: 'Show a template' }),
  update: endpoint({
    ...one,
    method: 'PUT',
    path: template,
    status: 200,
    summary: 'Change a template; nodes that were made from it stay as they are',
    body: Type.Object({ ...common, name: Type.Optional(NodeName) }, { additionalProperties: true }),
  }),
  delete: endpoint({
    method: 'DELETE',
    path: template,
    status: 204,
    summary: 'Delete a template; nodes that were made from it stay',
    tag,
    params: one.params,
  }),
  duplicate: endpoint({
    ...one,
    method: 'POST',
    path: `${template}/duplicate`,
    status: 201,
    summary: 'Add a copy of a template',
  }),
  createNode: endpoint({
    method: 'POST',
    path: '/v2/projects/{project_id}/templates/{template_id}',
    status: 201,
    summary: 'Add a node as a template says',
    tag,
    params: Type.Object({ project_id: Type.String(), template_id: Type.String() }),
    body: Type.Object({
      x: Type.Optional(Coordinate),
      y: Type.Optional(Coordinate),
      name: OptionalNullable(NodeName),
      compute_id: OptionalNullable(Type.Enum(['local'])),
    }),
  }),
}
