import type { Kysely, Transaction } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import { AppError, invalidField, notFound } from '../../platform/errors.ts'
import type { Listed, ListRequest } from '../../platform/search/list-request.ts'
import { labelFor } from '../label.ts'
import type { OrganizationAccess } from '../organizations/organization-access.ts'
import type { OrganizationService } from '../organizations/organization-service.ts'
import { lockOrganization } from '../organizations/organization-store.ts'
import type { ContentTables, OrganizationRole } from '../tables.ts'
import { pathsOf } from './environment-paths.ts'
import {
  countContents,
  deleteEnvironment,
  type EnvironmentCounts,
  type EnvironmentFilter,
  type EnvironmentRecord,
  findEnvironment,
  findEnvironmentByName,
  insertEnvironment,
  listAllEnvironments,
  listEnvironments,
  listSuccessors,
  listViewNames,
  lockEnvironment,
  updateEnvironment,
} from './environment-store.ts'

/** An environment with all that is shown of it. */
export interface EnvironmentView {
  readonly environment: EnvironmentRecord
  /** The first one that follows it. */
  readonly successor: { readonly id: number; readonly name: string } | undefined
  readonly counts: EnvironmentCounts
  /** What the asker is in its organization. */
  readonly role: OrganizationRole | undefined
}

export interface NewEnvironmentRequest {
  readonly organizationId: number
  readonly name: string
  readonly label: string | undefined
  readonly description: string | null
  /** The environment that it follows: its id, or its name. */
  readonly prior: number | string | undefined
}

export interface EnvironmentChange {
  readonly name?: string | undefined
  readonly description?: string | null | undefined
}

export interface EnvironmentServiceParts {
  readonly db: Kysely<ContentTables>
  readonly access: OrganizationAccess
  readonly organizations: OrganizationService
}

type Filter = Omit<EnvironmentFilter, 'memberId'>

/** Paths of archived versions have it where those of environments have their label. */
const reservedLabels: ReadonlySet<string> = new Set(['content_views'])

const nothing: EnvironmentCounts = { views: 0, products: 0, repositories: {} }

/** Lifecycle environments: where versions of content views are shown, on paths that begin with Library. */
export class EnvironmentService {
  readonly #parts: EnvironmentServiceParts

  constructor(parts: EnvironmentServiceParts) {
    this.#parts = parts
  }

  async listEnvironments(actor: Actor, filter: Filter, request: ListRequest): Promise<Listed<EnvironmentView>> {
    const { rows, ...counts } = await listEnvironments(this.#parts.db, await this.#visible(actor, filter), request)
    return { rows: await this.#view(actor, rows), ...counts }
  }

  /** One path for each environment that no other follows, from Library to it. */
  async listPaths(actor: Actor, organizationId: number | undefined): Promise<EnvironmentView[][]> {
    const rows = await listAllEnvironments(this.#parts.db, await this.#visible(actor, { organizationId }))
    const views = new Map((await this.#view(actor, rows)).map((view) => [view.environment.id, view]))
    return pathsOf(rows).map((path) => path.map(({ id }) => views.get(id) as EnvironmentView))
  }

  /** @throws AppError `not_found`, also for environments of other organizations than the one that is asked for */
  async getEnvironment(actor: Actor, id: number, organizationId?: number): Promise<EnvironmentView> {
    const environment = await findEnvironment(this.#parts.db, id)
    const isThere = environment !== undefined && [undefined, environment.organization_id].includes(organizationId)
    if (!isThere || !(await this.#parts.access.canView(actor, environment.organization_id)))
      throw notFound('environment', id)
    const [view] = await this.#view(actor, [environment])
    return view as EnvironmentView
  }

  async createEnvironment(actor: Actor, request: NewEnvironmentRequest): Promise<EnvironmentView> {
    const { db, access, organizations } = this.#parts
    const { organizationId, name, description } = request
    await organizations.getOrganization(actor, organizationId)
    await access.requireRole(actor, organizationId, needed('create'))
    const label = labelFor(name, request.label)
    if (reservedLabels.has(label)) throw invalidField('label', `must not be "${label}", which paths of content have`)
    const id = await db.transaction().execute(async (tx) => {
      if (!(await lockOrganization(tx, organizationId, 'share'))) throw notFound('organization', organizationId)
      const prior_id = await this.#lockPrior(tx, request)
      return insertEnvironment(tx, { organization_id: organizationId, name, label, description, prior_id })
    })
    return this.getEnvironment(actor, id)
  }

  /** Changes only what is given. */
  async updateEnvironment(
    actor: Actor,
    { id, organizationId }: Named,
    { name, description }: EnvironmentChange,
  ): Promise<EnvironmentView> {
    await this.#requireManager(actor, { id, organizationId }, 'edit')
    await this.#parts.db.transaction().execute(async (tx) => {
      const present = await lockEnvironment(tx, id, 'update')
      if (present === undefined) throw notFound('environment', id)
      const { is_library, name: oldName, description: oldDescription } = present
      if (is_library && name !== undefined && name !== oldName) throw invalidField('name', 'of Library stays Library')
      const attributes = {
        name: name ?? oldName,
        description: description === undefined ? oldDescription : description,
      }
      await updateEnvironment(tx, id, attributes)
    })
    return this.getEnvironment(actor, id)
  }

  /** @throws AppError `conflict` that names what follows it or is shown in it, `invalid` for Library */
  async deleteEnvironment(actor: Actor, { id, organizationId }: Named): Promise<void> {
    await this.#requireManager(actor, { id, organizationId }, 'destroy')
    await this.#parts.db.transaction().execute(async (tx) => {
      const environment = await lockEnvironment(tx, id, 'update')
      if (environment === undefined) throw notFound('environment', id)
      const { name, is_library } = environment
      if (is_library) throw invalidField('id', 'is Library, which every organization has')
      const followers = await listSuccessors(tx, [id])
      refuseUsed(name, 'it is followed by', followers)
      const views = await listViewNames(tx, id)
      refuseUsed(
        name,
        'it shows the content views',
        views.map((view) => ({ name: view })),
      )
      await deleteEnvironment(tx, id)
    })
  }

  /** Finds the environment that a new one is to follow, and keeps it from being deleted until the transaction ends. */
  async #lockPrior(tx: Transaction<ContentTables>, { organizationId, prior }: NewEnvironmentRequest): Promise<number> {
    if (prior === undefined) throw invalidField('prior_id', "can't be blank")
    const named = typeof prior === 'number' ? prior : (await findEnvironmentByName(tx, organizationId, prior))?.id
    const found = named === undefined ? undefined : await lockEnvironment(tx, named, 'share')
    if (found?.organization_id !== organizationId)
      throw invalidField('prior_id', 'must be the id of an environment of the same organization')
    return found.id
  }

  async #visible(actor: Actor, filter: Filter): Promise<EnvironmentFilter> {
    const { access, organizations } = this.#parts
    if (filter.organizationId !== undefined) await organizations.getOrganization(actor, filter.organizationId)
    return { ...filter, memberId: access.memberId(actor) }
  }

  async #requireManager(actor: Actor, { id, organizationId }: Named, deed: 'edit' | 'destroy'): Promise<void> {
    const { environment } = await this.getEnvironment(actor, id, organizationId)
    await this.#parts.access.requireRole(actor, environment.organization_id, needed(deed))
  }

  async #view(actor: Actor, rows: readonly EnvironmentRecord[]): Promise<EnvironmentView[]> {
    const { db, access } = this.#parts
    const ids = rows.map(({ id }) => id)
    const [successors, counts, roles] = await Promise.all([
      listSuccessors(db, ids),
      countContents(db, ids),
      access.findRoles(
        actor,
        rows.map(({ organization_id }) => organization_id),
      ),
    ])
    return rows.map((environment) => {
      const successor = successors.find(({ prior_id }) => prior_id === environment.id)
      return {
        environment,
        successor: successor === undefined ? undefined : { id: successor.id, name: successor.name },
        counts: counts.get(environment.id) ?? nothing,
        role: roles.get(environment.organization_id),
      }
    })
  }
}

/** An environment, of an organization where one is named. */
interface Named {
  readonly id: number
  readonly organizationId?: number | undefined
}

function needed(deed: 'create' | 'edit' | 'destroy') {
  return { role: 'manager', permission: `${deed}_lifecycle_environments` } as const
}

function refuseUsed(name: string, use: string, users: readonly { readonly name: string }[]): void {
  if (users.length === 0) return
  const words = users.map((user) => `"${user.name}"`).join(', ')
  throw new AppError('conflict', `Cannot delete the environment "${name}": ${use} ${words}`)
}
