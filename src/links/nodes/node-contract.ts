import { Type } from 'typebox'
import { endpoint } from '../../platform/http/endpoint.ts'
import { Nullable, OptionalNullable } from '../../platform/http/schemas.ts'
import { nodeKinds } from './node-kinds.ts'

const projectParams = { project_id: Type.String() }
const Params = Type.Object({ ...projectParams, node_id: Type.String() })
const Coordinate = Type.Number({ minimum: -1_000_000, maximum: 1_000_000 })

export const LabelText = {
  text: Type.String({ maxLength: 1000 }),
  style: OptionalNullable(Type.String({ maxLength: 1000 })),
  x: OptionalNullable(Coordinate),
  y: OptionalNullable(Coordinate),
  rotation: OptionalNullable(Type.Number({ minimum: -359, maximum: 360 })),
}

export const NodeName = Type.String({ minLength: 1, maxLength: 100, pattern: '^[^/\\\\\\x00-\\x1f\\x7f]+$' })

/** What clients may choose about how a node is drawn, and what it was made from. */
export const appearance = {
  x: Type.Optional(Coordinate),
  y: Type.Optional(Coordinate),
  z: Type.Optional(Type.Integer({ minimum: -100_000, maximum: 100_000 })),
  width: OptionalNullable(Type.Integer({ minimum: 1, maximum: 10_000 })),
  height: OptionalNullable(Type.Integer({ minimum: 1, maximum: 10_000 })),
  symbol: OptionalNullable(Type.String({ maxLength: 255 })),
  label: OptionalNullable(Type.Object(LabelText)),
  locked: Type.Optional(Type.Boolean()),
  console_auto_start: Type.Optional(Type.Boolean()),
  template_id: OptionalNullable(Type.String({ format: 'uuid' })),
}

/** What a client may send back of a node that it was given, without effect. */
const ignored = Object.fromEntries(
  [
    ...['project_id', 'node_directory', 'command_line', 'console', 'console_host', 'console_type', 'status', 'ports'],
    ...['port_name_format', 'port_segment_size', 'first_port_name', 'custom_adapters'],
  ].map((name) => [name, Type.Optional(Type.Unknown())]),
)

/** Those of the given keys that say how a node is drawn. */
export function appearanceOf(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(given).filter(([key]) => Object.hasOwn(appearance, key)))
}

export const Properties = Type.Record(Type.String({ maxLength: 100 }), Type.Unknown())

const Node = Type.Object({
  node_id: Type.String(),
  project_id: Type.String(),
  name: Type.String(),
  node_type: Type.String(),
  status: Type.Enum(['started', 'stopped', 'suspended']),
  console: Nullable(Type.Integer()),
})

const tag = 'Nodes'
const nodes = '/v2/projects/{project_id}/nodes'
const node = `${nodes}/{node_id}`
const one = { tag, params: Params, reply: Node }
const Argument = Type.String({ maxLength: 100_000 })

export const nodeEndpoints = {
  list: endpoint({
    method: 'GET',
    path: nodes,
    status: 200,
    summary: 'List the nodes of a project',
    tag,
    params: Type.Object(projectParams),
    reply: Type.Array(Node),
  }),
  create: endpoint({
    method: 'POST',
    path: nodes,
    status: 201,
    summary: 'Add a node, which rests until it is started',
    tag,
    params: Type.Object(projectParams),
    unknownKeys: 'refuse',
    body: Type.Object(
      {
        name: NodeName,
        node_type: Type.Enum(nodeKinds.map(({ type }) => type)),
        compute_id: Type.Enum(['local']),
        node_id: OptionalNullable(Type.String({ format: 'uuid' })),
        properties: OptionalNullable(Properties),
        ...appearance,
        ...ignored,
      },
      { additionalProperties: false },
    ),
    reply: Node,
  }),
  show: endpoint({ ...one, method: 'GET', path: node, status: 200, summary: 'Show a node' }),
  update: endpoint({
    ...one,
    method: 'PUT',
    path: node,
    status: 200,
    summary: 'Change a node; a new name or new properties count from its next start',
    body: Type.Object({ name: Type.Optional(NodeName), properties: OptionalNullable(Properties), ...appearance }),
  }),
  delete: endpoint({
    method: 'DELETE',
    path: node,
    status: 204,
    summary: 'Delete a node with its links and files',
    tag,
    params: Params,
  }),
  start: endpoint({
    ...one,
    method: 'POST',
    path: `${node}/start`,
    status: 200,
    summary: 'Start a node, or resume it',
  }),
  stop: endpoint({ ...one, method: 'POST', path: `${node}/stop`, status: 200, summary: 'Stop a node' }),
  suspend: endpoint({
    ...one,
    method: 'POST',
    path: `${node}/suspend`,
    status: 200,
    summary: 'Halt a node where it is; starting it lets it go on',
  }),
  reload: endpoint({ ...one, method: 'POST', path: `${node}/reload`, status: 200, summary: 'Stop and start a node' }),
  startAll: endpoint(all('start', 'Start all nodes of a project')),
  stopAll: endpoint(all('stop', 'Stop all nodes of a project')),
  suspendAll: endpoint(all('suspend', 'Halt all nodes of a project')),
  reloadAll: endpoint(all('reload', 'Stop and start all nodes of a project')),
  links: endpoint({
    method: 'GET',
    path: `${node}/links`,
    status: 200,
    summary: 'List the links that end at a node',
    tag,
    params: Params,
  }),
  exec: endpoint({
    method: 'POST',
    path: `${node}/exec`,
    status: 200,
    summary: 'Run a command in a running host and wait for its end',
    tag,
    params: Params,
    unknownKeys: 'refuse',
    body: Type.Object(
      {
        command: Type.Union([Argument, Type.Array(Argument, { minItems: 1, maxItems: 1000 })], {
          description: 'A program with its arguments, or a line for the shell',
        }),
        input: OptionalNullable(Type.String({ maxLength: 1024 * 1024 })),
        timeout_ms: Type.Optional(Type.Integer({ minimum: 1, maximum: 3_600_000, default: 60_000 })),
      },
      { additionalProperties: false },
    ),
    reply: Type.Object({
      exit_code: Nullable(Type.Integer()),
      signal: Nullable(Type.String()),
      timed_out: Type.Boolean(),
      truncated: Type.Boolean(),
      stdout: Type.String(),
      stderr: Type.String(),
    }),
  }),
}

/** What is asked of all nodes at once. */
function all(action: string, summary: string) {
  return {
    method: 'POST',
    path: `${nodes}/${action}`,
    status: 204,
    summary,
    tag,
    params: Type.Object(projectParams),
  } as const
}
