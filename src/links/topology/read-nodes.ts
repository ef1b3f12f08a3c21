import { isDeepStrictEqual } from 'node:util'
import type { Actor } from '../../platform/auth/actor.ts'
import { appearance } from '../nodes/node-contract.ts'
import type { NodeKind } from '../nodes/node-kind.ts'
import { defaultLooks } from '../nodes/node-presenter.ts'
import { requireNodeRight } from '../nodes/node-service.ts'
import type { ContentNode } from './content.ts'
import type { DocumentNode } from './document-contract.ts'
import { inPlace, Once } from './place.ts'

/** What the nodes' kinds remember, by node id. */
export type NodeStates = Readonly<Record<string, Record<string, unknown>>>

export interface ReadOptions {
  /** Who must be allowed to have what the document says. */
  readonly actor: Actor
  readonly kinds: ReadonlyMap<string, NodeKind>
  /** What is known beyond the document; the others begin anew. */
  readonly states?: NodeStates
}

/** @throws AppError that names the place in the document */
export function readNodes(nodes: readonly DocumentNode[], options: ReadOptions): ContentNode[] {
  const ids = new Once('is the id of two nodes')
  const names = new Once('is the name of another node')
  const states = new Map<string, Record<string, unknown>[]>()
  return nodes.map((node, index) => {
    const place = `topology.nodes[${index}]`
    ids.add(node.node_id.toLowerCase(), `${place}.node_id`)
    names.add(node.name, `${place}.name`)
    const others = states.get(node.node_type) ?? []
    const read = inPlace(place, () => readNode(node, options, others))
    states.set(node.node_type, others)
    others.push(read.kind_state)
    return read
  })
}

function readNode(
  document: DocumentNode,
  { actor, kinds, states = {} }: ReadOptions,
  others: readonly Record<string, unknown>[],
): ContentNode {
  const { name, node_type, console, properties } = document
  const id = document.node_id.toLowerCase()
  const kind = kinds.get(node_type) as NodeKind
  const checked = kind.checkProperties(properties ?? {})
  requireNodeRight(actor, kind, checked)
  return {
    id,
    name,
    node_type,
    wantedPort: kind.hasConsole ? (console ?? 'any') : null,
    appearance: chosenLooks(document, kind),
    properties: checked,
    kind_state: states[id] ?? kind.newState(others),
  }
}

/** A document says all of a node's looks: what is as the kind has it is not kept, and follows the node's name. */
function chosenLooks(document: DocumentNode, kind: NodeKind): Record<string, unknown> {
  const { label, ...given } = document as Record<string, unknown>
  const said = { ...given, label: label ? labelOf(label as Record<string, unknown>) : undefined } as typeof given
  const usual = defaultLooks(document.name, kind, given['symbol'])
  const chosen = Object.keys(appearance).filter(
    (key) => said[key] !== undefined && said[key] !== null && !isDeepStrictEqual(said[key], usual[key]),
  )
  return Object.fromEntries(chosen.map((key) => [key, said[key]]))
}

function labelOf({ text, style, x, y, rotation }: Record<string, unknown>): object {
  const label = { text, style, x, y, rotation }
  return Object.fromEntries(Object.entries(label).filter(([, value]) => value !== undefined))
}
