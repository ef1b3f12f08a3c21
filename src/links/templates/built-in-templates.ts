import { createHash } from 'node:crypto'
import type { NodeKind } from '../nodes/node-kind.ts'

/** A template as the rest of the program sees it, stored or not. */
export interface Template {
  readonly id: string
  readonly name: string
  readonly template_type: string
  readonly looks: Readonly<Record<string, unknown>>
  readonly properties: Readonly<Record<string, unknown>>
  /** Null for the built-in ones. */
  readonly owner_id: number | null
  readonly isBuiltIn: boolean
}

/** A template for each kind of node, which is always there and always the same. */
export function builtInTemplates(kinds: Iterable<NodeKind>): Map<string, Template> {
  return new Map([...kinds].map((kind) => [idOf(kind.type), builtIn(kind)]))
}

function builtIn(kind: NodeKind): Template {
  return {
    id: idOf(kind.type),
    name: kind.looks.title,
    template_type: kind.type,
    looks: {},
    properties: {},
    owner_id: null,
    isBuiltIn: true,
  }
}

/** The same on every server: a UUID made from a name (RFC 9562, version 8). */
function idOf(type: string): string {
  const digest = createHash('sha256').update(`backhaul template ${type}`).digest('hex')
  const [a, b, c, d, e] = [
    digest.slice(0, 8),
    digest.slice(8, 12),
    digest.slice(13, 16),
    digest.slice(17, 20),
    digest.slice(20, 32),
  ]
  return `${a}-${b}-8${c}-8${d}-${e}`
}
