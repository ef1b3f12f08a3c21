import { type Static, Type } from 'typebox'
import { OptionalNullable } from '../../platform/http/schemas.ts'
import { drawingLooks } from '../drawings/drawing-contract.ts'
import { Filters, PortNumber, Style } from '../links/link-contract.ts'
import { appearance, LabelText, NodeName, Properties } from '../nodes/node-contract.ts'
import { nodeKinds } from '../nodes/node-kinds.ts'
import { ProjectName, projectSettings } from '../projects/project-contract.ts'

const Uuid = Type.String({ format: 'uuid' })

const DocumentNode = Type.Object({
  node_id: Uuid,
  name: NodeName,
  node_type: Type.Enum(nodeKinds.map(({ type }) => type)),
  console: OptionalNullable(Type.Integer()),
  properties: OptionalNullable(Properties),
  ...appearance,
})
export type DocumentNode = Static<typeof DocumentNode>

const DocumentLink = Type.Object({
  link_id: Uuid,
  nodes: Type.Array(
    Type.Object({
      node_id: Uuid,
      adapter_number: PortNumber,
      port_number: PortNumber,
      label: OptionalNullable(Type.Object(LabelText)),
    }),
    { minItems: 2, maxItems: 2 },
  ),
  filters: Type.Optional(Filters),
  link_style: Type.Optional(Style),
  suspend: Type.Optional(Type.Boolean()),
})
export type DocumentLink = Static<typeof DocumentLink>

const DocumentDrawing = Type.Object({ drawing_id: Uuid, ...drawingLooks })
export type DocumentDrawing = Static<typeof DocumentDrawing>

/**
 * A project as GNS3 2.2 writes it into its `.gns3` files. What is not named here, such as what only other emulators
 * need, is not read.
 */
export const TopologyDocument = Type.Object({
  name: ProjectName,
  type: Type.Enum(['topology']),
  revision: Type.Integer({ minimum: 1, maximum: 9 }),
  ...projectSettings,
  topology: Type.Object({
    nodes: Type.Optional(Type.Array(DocumentNode, { maxItems: 5000 })),
    links: Type.Optional(Type.Array(DocumentLink, { maxItems: 20_000 })),
    drawings: Type.Optional(Type.Array(DocumentDrawing, { maxItems: 10_000 })),
  }),
})
export type TopologyDocument = Static<typeof TopologyDocument>
