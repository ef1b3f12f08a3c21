import type { Kysely } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import { invalidField, notFound } from '../../platform/errors.ts'
import type { TaskRow } from '../../platform/tasks/tables.ts'
import type { TaskService } from '../../platform/tasks/task-service.ts'
import type { NewTask } from '../../platform/tasks/task-store.ts'
import type { OrganizationAccess } from '../organizations/organization-access.ts'
import type { ContentTables, OrganizationRole } from '../tables.ts'
import type { ViewRow } from '../view-tables.ts'
import { findVersion, type VersionRecord } from '../views/version-store.ts'
import { findView, lockView } from '../views/view-store.ts'
import { refuseUsedVersions, refuseUsedView } from './deletable.ts'
import {
  hasVersion,
  listEnvironmentsOf,
  listPlacementsOf,
  listPlaces,
  listVersionIds,
  type VersionNumber,
} from './lifecycle-store.ts'
import {
  deleteViewKind,
  type PromoteInput,
  promoteKind,
  publishTask,
  type RemoveInput,
  removeKind,
  republishKind,
  userOf,
  viewTask,
} from './lifecycle-tasks.ts'
import { refuseOutOfSequence } from './sequence.ts'

export interface LifecycleOperationsParts {
  readonly db: Kysely<ContentTables>
  readonly access: OrganizationAccess
  readonly tasks: TaskService
}

export interface Publication {
  readonly number: VersionNumber | undefined
  readonly description: string | null
  readonly environmentIds: readonly number[]
  readonly isForced: boolean
}

export interface Removal {
  readonly environmentIds: readonly number[]
  readonly versionIds: readonly number[]
}

const publishing = { role: 'editor', permission: 'publish_content_views' } as const
const promoting = { role: 'editor', permission: 'promote_or_remove_content_views' } as const
const destroying = { role: 'manager', permission: 'destroy_content_views' } as const

interface Needed {
  readonly role: OrganizationRole
  readonly permission: string
}

/** What is done with content views besides describing them; everything is a task. */
export class LifecycleOperations {
  readonly #parts: LifecycleOperationsParts

  constructor(parts: LifecycleOperationsParts) {
    this.#parts = parts
  }

  /** @throws AppError `invalid` when there is such a version, or an environment is out of sequence */
  async startPublish(
    actor: Actor,
    viewId: number,
    { number, description, environmentIds, isForced }: Publication,
  ): Promise<TaskRow> {
    const view = await this.#getView(actor, viewId, publishing)
    if (number !== undefined && (await hasVersion(this.#parts.db, viewId, number)))
      throw invalidField('major', `and minor must be new: there is a version ${number.major}.${number.minor}`)
    const places = await listPlaces(this.#parts.db, view.organization_id)
    // every version is in Library from its beginning
    const present = places.flatMap(({ id, priorId }) => (priorId === null ? [id] : []))
    const environments = refuseOutOfSequence(places, { environmentIds, present, isForced })
    const input = { user: userOf(actor), ...(number === undefined ? {} : { number }), description, environments }
    return this.#enqueue(publishTask(view, input), view)
  }

  /** @throws AppError `invalid` when an environment is out of sequence */
  async startPromotion(
    actor: Actor,
    versionId: number,
    { description, ...wanted }: Pick<Publication, 'environmentIds' | 'isForced' | 'description'>,
  ): Promise<TaskRow> {
    const { version, view } = await this.#getVersion(actor, versionId, promoting)
    const present = await listEnvironmentsOf(this.#parts.db, version.id)
    const places = await listPlaces(this.#parts.db, view.organization_id)
    const environments = refuseOutOfSequence(places, { ...wanted, present })
    const user = userOf(actor)
    const input: PromoteInput = { user, version_id: version.id, environments, description }
    return this.#enqueueWork(view, { user, kind: promoteKind, humanizedAction: 'Promote', input })
  }

  async startRepublish(actor: Actor, versionId: number): Promise<TaskRow> {
    const { version, view } = await this.#getVersion(actor, versionId, publishing)
    const [user, input] = [userOf(actor), { version_id: version.id }]
    return this.#enqueueWork(view, { user, kind: republishKind, humanizedAction: 'Republish', input })
  }

  /**
   * @throws AppError `invalid` for environments in which the view is not, and versions that it does not have; `conflict` for
   * versions that are still used then
   */
  async startRemoval(actor: Actor, viewId: number, { environmentIds, versionIds }: Removal): Promise<TaskRow> {
    const needed = versionIds.length > 0 ? destroying : promoting
    return this.#remove(actor, await this.#getView(actor, viewId, needed), { environmentIds, versionIds })
  }

  async startVersionDeletion(actor: Actor, versionId: number): Promise<TaskRow> {
    const { version, view } = await this.#getVersion(actor, versionId, destroying)
    await refuseUsedVersions(this.#parts.db, view, [version.id])
    return this.#remove(actor, view, { environmentIds: [], versionIds: [version.id] })
  }

  /** @throws AppError `conflict` that names the environments and composite views that it is in */
  async startViewDeletion(actor: Actor, viewId: number): Promise<TaskRow> {
    const view = await this.#getView(actor, viewId, destroying)
    await refuseUsedView(this.#parts.db, view)
    const user = userOf(actor)
    return this.#enqueueWork(view, { user, kind: deleteViewKind, humanizedAction: 'Delete', input: {} })
  }

  async #remove(actor: Actor, view: ViewRow, { environmentIds, versionIds }: Removal): Promise<TaskRow> {
    const { db } = this.#parts
    if (environmentIds.length + versionIds.length === 0)
      throw invalidField('environment_ids', 'or content_view_version_ids must name something')
    const placements = await listPlacementsOf(db, view.id)
    const missing = environmentIds.find((id) => !placements.some(({ environment_id }) => environment_id === id))
    if (missing !== undefined)
      throw invalidField('environment_ids', `must be environments that the view is in; ${missing} is not`)
    const own = new Set(versionIds.length === 0 ? [] : await listVersionIds(db, view.id))
    const stranger = versionIds.find((id) => !own.has(id))
    if (stranger !== undefined)
      throw invalidField('content_view_version_ids', `must be versions of the view; ${stranger} is not`)
    const user = userOf(actor)
    const input: RemoveInput = { user, environments: environmentIds, version_ids: versionIds }
    return this.#enqueueWork(view, { user, kind: removeKind, humanizedAction: 'Remove versions of', input })
  }

  async #getView(actor: Actor, id: number, needed: Needed): Promise<ViewRow> {
    const { db, access } = this.#parts
    const view = await findView(db, id)
    if (view === undefined || !(await access.canView(actor, view.organization_id))) throw notFound('content view', id)
    await access.requireRole(actor, view.organization_id, needed)
    if (view.is_default) throw invalidField('id', 'is the default content view, which always shows what is in Library')
    return view
  }

  async #getVersion(
    actor: Actor,
    id: number,
    needed: Needed,
  ): Promise<{ readonly version: VersionRecord; readonly view: ViewRow }> {
    const { db, access } = this.#parts
    const version = await findVersion(db, id)
    if (version === undefined || !(await access.canView(actor, version.organization_id)))
      throw notFound('content view version', id)
    return { version, view: await this.#getView(actor, version.view_id, needed) }
  }

  #enqueueWork(view: ViewRow, { user, kind, humanizedAction, input }: Work): Promise<TaskRow> {
    const label = `Actions::Katello::ContentView::${humanizedAction.split(' ', 1)[0]}`
    return this.#enqueue(viewTask(view, user, { kind, label, humanizedAction, input }), view)
  }

  async #enqueue(task: NewTask, { id }: ViewRow): Promise<TaskRow> {
    const { db, tasks } = this.#parts
    return db.transaction().execute(async (tx) => {
      if ((await lockView(tx, id, 'share')) === undefined) throw notFound('content view', id)
      return tasks.enqueue(tx, task)
    })
  }
}

interface Work {
  readonly user: NewTask['user']
  readonly kind: string
  readonly humanizedAction: string
  readonly input: object
}
