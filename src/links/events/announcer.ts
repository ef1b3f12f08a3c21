import type { Link } from '../links/link-store.ts'
import { presentSnapshot } from '../snapshots/snapshot-presenter.ts'
import type { SnapshotHead } from '../snapshots/snapshot-store.ts'
import type { DrawingRow, NodeRow, ProjectRow } from '../tables.ts'
import { controller, type EventBus } from './event-bus.ts'

/** How things look to clients. */
export interface Presenters {
  project(project: ProjectRow): object
  link(link: Link): object
  node(node: NodeRow): object
  drawing(drawing: DrawingRow): object
}

export type Change = 'created' | 'updated' | 'deleted'
type ProjectChange = 'created' | 'updated' | 'opened' | 'closed'

/** Tells the listeners of a project what changed there, once it is stored. */
export class Announcer {
  readonly #bus: EventBus
  readonly #present: Presenters

  constructor(bus: EventBus, present: Presenters) {
    this.#bus = bus
    this.#present = present
  }

  /** Tells those who look at the list of projects, and those who look at this one where it concerns them. */
  project(change: ProjectChange, project: ProjectRow): void {
    const presented = this.#present.project(project)
    if (change === 'updated' || change === 'closed') this.#bus.publish(project.id, `project.${change}`, presented)
    this.#bus.publish(controller, `project.${change}`, presented)
  }

  /** Those who could see it are told, though nobody can see it any more. */
  deletedProject(project: ProjectRow, audience: ReadonlySet<number>): void {
    this.#bus.publishEvent(controller, {
      action: 'project.deleted',
      event: this.#present.project(project),
      audience,
    })
  }

  link(change: Change, link: Link): void {
    this.#bus.publish(link.project_id, `link.${change}`, this.#present.link(link))
  }

  node(change: Change, node: NodeRow): void {
    this.#bus.publish(node.project_id, `node.${change}`, this.#present.node(node))
  }

  drawing(change: Change, drawing: DrawingRow): void {
    this.#bus.publish(drawing.project_id, `drawing.${change}`, this.#present.drawing(drawing))
  }

  /** Everything in the project may have changed. */
  restoredSnapshot(snapshot: SnapshotHead): void {
    this.#bus.publish(snapshot.project_id, 'snapshot.restored', presentSnapshot(snapshot))
  }

  /** For people: clients show it as it is. */
  log(level: 'info' | 'warning' | 'error', projectId: string, message: string): void {
    this.#bus.publish(projectId, `log.${level}`, { message })
  }
}
