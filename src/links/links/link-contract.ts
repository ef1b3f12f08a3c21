import { Type } from 'typebox'
import { endpoint } from '../../platform/http/endpoint.ts'
import { Nullable, OptionalNullable } from '../../platform/http/schemas.ts'
import { LabelText } from '../nodes/node-contract.ts'

const projectParams = { project_id: Type.String() }
const Params = Type.Object({ ...projectParams, link_id: Type.String() })

export const PortNumber = Type.Integer({ minimum: 0, maximum: 100_000 })
const Label = Type.Object(LabelText, { additionalProperties: false })
const End = Type.Object(
  {
    node_id: Type.String({ format: 'uuid' }),
    adapter_number: PortNumber,
    port_number: PortNumber,
    label: OptionalNullable(Label),
  },
  { additionalProperties: false },
)

export const Filters = Type.Record(Type.String({ maxLength: 100 }), Type.Unknown(), {
  description: 'What the link does to frames, by type: {"delay": [20, 5]}; see available_filters',
})
export const Style = Type.Record(Type.String({ maxLength: 100 }), Type.Unknown())

/** What a client may send back of a link it was given, without effect. */
const readOnly = {
  link_id: OptionalNullable(Type.String({ format: 'uuid' })),
  project_id: OptionalNullable(Type.String({ format: 'uuid' })),
  link_type: Type.Optional(Type.Enum(['ethernet', 'serial'])),
  capturing: Type.Optional(Type.Boolean()),
  capture_file_name: OptionalNullable(Type.String()),
  capture_file_path: OptionalNullable(Type.String()),
  capture_compute_id: OptionalNullable(Type.String()),
}

const LinkReply = Type.Object({
  link_id: Type.String(),
  project_id: Type.String(),
  nodes: Type.Array(End),
  link_type: Type.Enum(['ethernet', 'serial']),
  filters: Filters,
  link_style: Style,
  suspend: Type.Boolean(),
  capturing: Type.Boolean(),
  capture_file_name: Nullable(Type.String()),
  capture_file_path: Nullable(Type.String()),
  capture_compute_id: Nullable(Type.String()),
})

const tag = 'Links'
const links = '/v2/projects/{project_id}/links'
const link = `${links}/{link_id}`
const one = { tag, params: Params, reply: LinkReply }

export const linkEndpoints = {
  list: endpoint({
    method: 'GET',
    path: links,
    status: 200,
    summary: 'List the links of a project',
    tag,
    params: Type.Object(projectParams),
    reply: Type.Array(LinkReply),
  }),
  create: endpoint({
    ...one,
    method: 'POST',
    path: links,
    status: 201,
    summary: 'Join two free ports of two nodes',
    params: Type.Object(projectParams),
    unknownKeys: 'refuse',
    body: Type.Object(
      {
        nodes: Type.Array(End, { minItems: 2, maxItems: 2 }),
        filters: Type.Optional(Filters),
        link_style: Type.Optional(Style),
        suspend: Type.Optional(Type.Boolean()),
        ...readOnly,
      },
      { additionalProperties: false },
    ),
  }),
  show: endpoint({ ...one, method: 'GET', path: link, status: 200, summary: 'Show a link' }),
  update: endpoint({
    ...one,
    method: 'PUT',
    path: link,
    status: 201,
    summary: 'Change filters, style, labels, or suspend a link; in force when it answers',
    body: Type.Object({
      nodes: Type.Optional(
        Type.Array(
          Type.Object({ node_id: Type.String({ format: 'uuid' }), label: OptionalNullable(Type.Object(LabelText)) }),
          { maxItems: 2 },
        ),
      ),
      filters: Type.Optional(Filters),
      link_style: Type.Optional(Style),
      suspend: Type.Optional(Type.Boolean()),
    }),
  }),
  delete: endpoint({ method: 'DELETE', path: link, status: 204, summary: 'Delete a link', tag, params: Params }),
  availableFilters: endpoint({
    method: 'GET',
    path: `${link}/available_filters`,
    status: 200,
    summary: 'List the filters that can be applied to a link',
    tag,
    params: Params,
  }),
  pcap: endpoint({
    method: 'GET',
    path: `${link}/pcap`,
    status: 200,
    summary: 'Read a capture: an active one live until it ends, a finished one whole',
    tag,
    params: Params,
  }),
  startCapture: endpoint({
    ...one,
    method: 'POST',
    path: `${link}/start_capture`,
    status: 201,
    summary: 'Start capturing what leaves the link, in both directions',
    unknownKeys: 'refuse',
    body: Type.Object(
      {
        data_link_type: Type.Optional(
          Type.Enum(['DLT_ATM_RFC1483', 'DLT_EN10MB', 'DLT_FRELAY', 'DLT_C_HDLC', 'DLT_PPP_SERIAL']),
        ),
        capture_file_name: OptionalNullable(Type.String({ maxLength: 250 })),
      },
      { additionalProperties: false },
    ),
  }),
  stopCapture: endpoint({
    ...one,
    method: 'POST',
    path: `${link}/stop_capture`,
    status: 201,
    summary: 'Stop capturing; harmless when nothing is captured',
  }),
  statistics: endpoint({
    method: 'GET',
    path: `${link}/statistics`,
    status: 200,
    summary: 'Count frames and bytes per direction, and what was dropped why',
    tag,
    params: Params,
  }),
}
