import { AppError } from '../../platform/errors.ts'
import type { Lab } from '../lab.ts'
import type { NodeKind } from '../nodes/node-kind.ts'
import type { NodeRow } from '../tables.ts'
import type { NodeStates } from './read-nodes.ts'

export interface RestingParts {
  readonly lab: Lab
  readonly kinds: ReadonlyMap<string, NodeKind>
}

/**
 * The files of a node that runs change while they are copied.
 *
 * @throws AppError `conflict` that names the first of the nodes that run
 */
export function refuseRunning(nodes: readonly NodeRow[], { lab, kinds }: RestingParts, what: string): void {
  const running = nodes.find(({ id, node_type }) => lab.nodes.find(id) && kinds.get(node_type)?.isAlwaysOn !== true)
  if (running !== undefined)
    throw new AppError('conflict', `Cannot ${what} while a node runs: stop ${running.name} first`)
}

/** What the kinds of nodes remember of them, which no document says. */
export function statesOf(nodes: readonly NodeRow[]): NodeStates {
  return Object.fromEntries(nodes.map(({ id, kind_state }) => [id, kind_state]))
}
