import { randomUUID } from 'node:crypto'
import type { NewDrawing } from '../drawings/drawing-store.ts'
import type { NewLink } from '../links/link-store.ts'
import type { NewNode } from '../nodes/node-store.ts'

export interface ContentNode extends Omit<NewNode, 'project_id' | 'console_port'> {
  /** The console port that it had elsewhere; null when nodes of its kind have none. */
  readonly wantedPort: number | 'any' | null
}

/** What a topology holds, checked and ready to be stored in whatever project. */
export interface Content {
  readonly nodes: readonly ContentNode[]
  readonly links: readonly Omit<NewLink, 'project_id'>[]
  readonly drawings: readonly Omit<NewDrawing, 'project_id'>[]
}

export function idsOf({ nodes, links, drawings }: Content): { [K in keyof Content]: string[] } {
  const ids = (things: readonly { readonly id: string }[]) => things.map(({ id }) => id)
  return { nodes: ids(nodes), links: ids(links), drawings: ids(drawings) }
}

/** The same content with new ids in the place of those that are not free; what refers to them follows. */
export function withFreshIds(content: Content, isTaken: (id: string) => boolean): Content {
  const fresh = new Map<string, string>()
  const idFor = (id: string) => {
    if (!isTaken(id)) return id
    const known = fresh.get(id) ?? randomUUID()
    fresh.set(id, known)
    return known
  }
  return {
    nodes: content.nodes.map((node) => ({ ...node, id: idFor(node.id) })),
    drawings: content.drawings.map((drawing) => ({ ...drawing, id: idFor(drawing.id) })),
    links: content.links.map(({ ends: [first, second], ...link }) => ({
      ...link,
      id: idFor(link.id),
      ends: [
        { ...first, node_id: idFor(first.node_id) },
        { ...second, node_id: idFor(second.node_id) },
      ] as const,
    })),
  }
}
