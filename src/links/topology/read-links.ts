import { AppError, invalidField } from '../../platform/errors.ts'
import { parseFilters } from '../filters/index.ts'
import { toLabel } from '../links/link-presenter.ts'
import type { NewLinkEnd } from '../links/link-store.ts'
import type { NodeKind } from '../nodes/node-kind.ts'
import type { Content, ContentNode } from './content.ts'
import type { DocumentLink } from './document-contract.ts'
import { inPlace, Once, type Place } from './place.ts'

/** @throws AppError that names the place in the document */
export function readLinks(
  links: readonly DocumentLink[],
  nodes: readonly ContentNode[],
  kinds: ReadonlyMap<string, NodeKind>,
): Content['links'] {
  const reader = new LinkReader(nodes, kinds)
  return links.map((link, index) => reader.read(link, `topology.links[${index}]`))
}

class LinkReader {
  readonly #nodes: ReadonlyMap<string, ContentNode>
  readonly #kinds: ReadonlyMap<string, NodeKind>
  readonly #ids = new Once('is the id of two links')
  readonly #ends = new Once('is joined by another link')
  readonly #ports = new Map<string, ReadonlySet<string>>()

  constructor(nodes: readonly ContentNode[], kinds: ReadonlyMap<string, NodeKind>) {
    this.#nodes = new Map(nodes.map((node) => [node.id, node]))
    this.#kinds = kinds
  }

  read(link: DocumentLink, place: Place): Content['links'][number] {
    const id = link.link_id.toLowerCase()
    this.#ids.add(id, `${place}.link_id`)
    const [first, second] = link.nodes.map((end, index) => this.#end(end, `${place}.nodes[${index}]`)) as [
      NewLinkEnd,
      NewLinkEnd,
    ]
    if (first.node_id === second.node_id) throw invalidField(`${place}.nodes`, 'join a node with itself')
    if ([first, second].every(({ node_id }) => this.#kindOf(node_id).isOutside))
      throw invalidField(`${place}.nodes`, 'join a cloud with a cloud')
    return {
      id,
      filters: inPlace(place, () => parseFilters(link.filters ?? {})),
      is_suspended: link.suspend ?? false,
      link_style: link.link_style ?? {},
      ends: [first, second],
    }
  }

  #end({ node_id, label, ...port }: DocumentLink['nodes'][number], place: Place): NewLinkEnd {
    const { adapter_number, port_number } = port
    const id = node_id.toLowerCase()
    const name = `${adapter_number}/${port_number}`
    if (!this.#nodes.has(id)) throw invalidField(`${place}.node_id`, 'is the id of no node of the document')
    if (!this.#portsOf(id).has(name)) throw invalidField(place, `names port ${name}, which the node does not have`)
    this.#ends.add(`${id} ${name}`, place)
    return { node_id: id, adapter_number, port_number, label: toLabel(label, port) }
  }

  #portsOf(nodeId: string): ReadonlySet<string> {
    const known = this.#ports.get(nodeId)
    if (known !== undefined) return known
    const ports = this.#kindOf(nodeId)
      .ports(this.#nodes.get(nodeId) as ContentNode)
      .map(({ adapter_number, port_number }) => `${adapter_number}/${port_number}`)
    const set = new Set(ports)
    this.#ports.set(nodeId, set)
    return set
  }

  #kindOf(nodeId: string): NodeKind {
    const kind = this.#kinds.get((this.#nodes.get(nodeId) as ContentNode).node_type)
    if (kind === undefined) throw new AppError('internal', 'A node without a kind was read')
    return kind
  }
}
