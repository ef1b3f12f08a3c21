import type { Db } from '../../platform/db/database.ts'
import { compatibleVersion } from '../compatible-version.ts'
import { listDrawings } from '../drawings/drawing-store.ts'
import { type Link, listLinks } from '../links/link-store.ts'
import type { NodeKind } from '../nodes/node-kind.ts'
import { looksOf } from '../nodes/node-presenter.ts'
import { listNodes } from '../nodes/node-store.ts'
import type { DrawingRow, LinksTables, NodeRow, ProjectRow } from '../tables.ts'
import type { TopologyDocument } from './document-contract.ts'

export interface ExportParts {
  readonly db: Db<LinksTables>
  readonly kinds: ReadonlyMap<string, NodeKind>
}

/** The whole project in the form of GNS3's `.gns3` files. */
export async function exportDocument({ db, kinds }: ExportParts, project: ProjectRow): Promise<TopologyDocument> {
  const { id, name, settings } = project
  const nodes = await listNodes(db, id)
  const document = {
    name,
    project_id: id,
    ...settings,
    type: 'topology',
    version: compatibleVersion,
    revision: 9,
    topology: {
      computes: [],
      drawings: (await listDrawings(db, id)).map(documentDrawing),
      links: (await listLinks(db, id)).map(documentLink),
      nodes: nodes.map((node) => documentNode(node, kinds.get(node.node_type) as NodeKind)),
    },
  }
  return document as unknown as TopologyDocument
}

function documentNode(node: NodeRow, kind: NodeKind): object {
  return {
    compute_id: 'local',
    node_id: node.id,
    node_type: node.node_type,
    name: node.name,
    console: node.console_port,
    console_type: kind.hasConsole ? 'telnet' : null,
    custom_adapters: [],
    first_port_name: null,
    port_name_format: kind.looks.port_name_format,
    port_segment_size: 0,
    template_id: null,
    properties: node.properties,
    ...looksOf(node, kind),
  }
}

function documentLink({ id, filters, link_style, is_suspended, ends }: Link): object {
  return {
    link_id: id,
    filters,
    link_style,
    suspend: is_suspended,
    nodes: ends.map(({ node_id, adapter_number, port_number, label }) => ({
      node_id,
      adapter_number,
      port_number,
      label,
    })),
  }
}

function documentDrawing({ id, x, y, z, rotation, locked, svg }: DrawingRow): object {
  return { drawing_id: id, x, y, z, rotation, locked, svg }
}
