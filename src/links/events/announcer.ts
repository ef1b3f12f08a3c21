import type { Link } from '../links/link-store.ts'
import type { NodeRow } from '../tables.ts'
import type { EventBus } from './event-bus.ts'

/** How things look to clients. */
export interface Presenters {
  link(link: Link): object
  node(node: NodeRow): object
}

export type Change = 'created' | 'updated' | 'deleted'

/** Tells the listeners of a project what changed there, once it is stored. */
export class Announcer {
  readonly #bus: EventBus
  readonly #present: Presenters

  constructor(bus: EventBus, present: Presenters) {
    this.#bus = bus
    this.#present = present
  }

  link(change: Change, link: Link): void {
    this.#bus.publish(link.project_id, `link.${change}`, this.#present.link(link))
  }

  node(change: Change, node: NodeRow): void {
    this.#bus.publish(node.project_id, `node.${change}`, this.#present.node(node))
  }

  /** For people: clients show it as it is. */
  log(level: 'info' | 'warning' | 'error', projectId: string, message: string): void {
    this.#bus.publish(projectId, `log.${level}`, { message })
  }
}
