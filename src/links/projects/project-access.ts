import type { Kysely } from 'kysely'
import { type Actor, forbidden, hasRight } from '../../platform/auth/actor.ts'
import { AppError } from '../../platform/errors.ts'
import { isUuid } from '../../platform/uuid.ts'
import type { KeyedQueue } from '../keyed-queue.ts'
import type { LinksTables, ProjectRow } from '../tables.ts'
import { findProject, isMember } from './project-store.ts'

/** Who may do what with projects: the owner, whom they let in, and administrators; for others a project is not there. */
export class ProjectAccess {
  readonly #db: Kysely<LinksTables>
  readonly #queue: KeyedQueue

  constructor(db: Kysely<LinksTables>, queue: KeyedQueue) {
    this.#db = db
    this.#queue = queue
  }

  /** Does work on a project alone: after what was asked before, and only if it is still there then. */
  async inProject<T>(actor: Actor, id: string, work: (project: ProjectRow) => Promise<T>): Promise<T> {
    return this.#queue.run(id, async () => work(await this.getProject(actor, id)))
  }

  async inOpenProject<T>(actor: Actor, id: string, work: (project: ProjectRow) => Promise<T>): Promise<T> {
    return this.#queue.run(id, async () => work(await this.getOpenProject(actor, id)))
  }

  async inOwnProject<T>(actor: Actor, id: string, work: (project: ProjectRow) => Promise<T>): Promise<T> {
    return this.#queue.run(id, async () => work(await this.getOwnProject(actor, id)))
  }

  /** @throws AppError `not_found` */
  async getProject(actor: Actor, id: string): Promise<ProjectRow> {
    // ids are keys in memory too: there is one way to write them
    const project = isUuid(id) && id === id.toLowerCase() ? await findProject(this.#db, id) : undefined
    if (project === undefined || !(await this.#mayUse(actor, project))) {
      throw new AppError('not_found', `Project ID ${id} doesn't exist`)
    }
    return project
  }

  /** @throws AppError `not_found`, or `forbidden` when the project is closed: its nodes and links rest then */
  async getOpenProject(actor: Actor, id: string): Promise<ProjectRow> {
    const project = await this.getProject(actor, id)
    if (!project.is_open) throw new AppError('forbidden', 'The project is not opened')
    return project
  }

  /** @throws AppError `not_found`, or `forbidden` for those who were only let in */
  async getOwnProject(actor: Actor, id: string): Promise<ProjectRow> {
    const project = await this.getProject(actor, id)
    if (project.owner_id !== actor.userId && !hasRight(actor, 'admin')) throw forbidden('project owner')
    return project
  }

  async #mayUse(actor: Actor, { id, owner_id }: ProjectRow): Promise<boolean> {
    if (hasRight(actor, 'admin')) return true
    if (actor.userId === undefined) return false
    return owner_id === actor.userId || isMember(this.#db, id, actor.userId)
  }
}
