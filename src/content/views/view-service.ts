import type { Kysely, Transaction } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import { invalidField, notFound } from '../../platform/errors.ts'
import type { Listed, ListRequest } from '../../platform/search/list-request.ts'
import { labelFor } from '../label.ts'
import type { OrganizationAccess } from '../organizations/organization-access.ts'
import type { OrganizationService } from '../organizations/organization-service.ts'
import { lockOrganization } from '../organizations/organization-store.ts'
import type { ContentTables, OrganizationRole } from '../tables.ts'
import type { ViewRow } from '../view-tables.ts'
import { findViewDetails, type ViewDetails } from './view-details-store.ts'
import { type HistoryRecord, listHistory } from './view-history-store.ts'
import { saveContents, type ViewContents } from './view-parts.ts'
import { copySelection } from './view-selection-store.ts'
import {
  findView,
  insertView,
  listViews,
  lockView,
  updateView,
  type ViewAttributes,
  type ViewFilter,
} from './view-store.ts'

/** A content view with what it is shown with. */
export interface ContentView {
  readonly view: ViewRow
  readonly details: ViewDetails
  /** What the asker is in its organization. */
  readonly role: OrganizationRole | undefined
}

/** What is undefined stays as it is, or is as usual in a new view. */
export interface ViewChange extends Partial<ViewAttributes>, ViewContents {
  readonly is_composite?: boolean
  readonly import_only?: boolean
}

export interface NewViewRequest {
  readonly organizationId: number
  readonly name: string
  readonly label: string | undefined
  readonly change: ViewChange
}

export interface ViewServiceParts {
  readonly db: Kysely<ContentTables>
  readonly access: OrganizationAccess
  readonly organizations: OrganizationService
}

const creating = { role: 'manager', permission: 'create_content_views' } as const
const editing = { role: 'editor', permission: 'edit_content_views' } as const

/** Paths of repositories in Library have it where those of copies have the label of their view. */
const reservedLabels: ReadonlySet<string> = new Set(['custom'])

/** Content views: what is published together. */
export class ViewService {
  readonly #parts: ViewServiceParts

  constructor(parts: ViewServiceParts) {
    this.#parts = parts
  }

  async listViews(
    actor: Actor,
    filter: Omit<ViewFilter, 'memberId'>,
    request: ListRequest,
  ): Promise<Listed<ContentView>> {
    const { db, access, organizations } = this.#parts
    if (filter.organizationId !== undefined) await organizations.getOrganization(actor, filter.organizationId)
    const { rows, ...counts } = await listViews(db, { ...filter, memberId: access.memberId(actor) }, request)
    return { rows: await this.#show(actor, rows), ...counts }
  }

  /** The row alone. */
  async getRow(actor: Actor, id: number): Promise<ViewRow> {
    const view = await findView(this.#parts.db, id)
    if (view === undefined || !(await this.#parts.access.canView(actor, view.organization_id)))
      throw notFound('content view', id)
    return view
  }

  async getView(actor: Actor, id: number): Promise<ContentView> {
    const [shown] = await this.#show(actor, [await this.getRow(actor, id)])
    return shown as ContentView
  }

  async createView(actor: Actor, { organizationId, name, label, change }: NewViewRequest): Promise<ContentView> {
    const { access, organizations } = this.#parts
    await organizations.getOrganization(actor, organizationId)
    await access.requireRole(actor, organizationId, creating)
    const attributes = {
      organization_id: organizationId,
      ...named(name, label),
      description: change.description ?? null,
      is_composite: change.is_composite ?? false,
      auto_publish: change.auto_publish ?? false,
      solve_dependencies: change.solve_dependencies ?? false,
      import_only: change.import_only ?? false,
    }
    refuseAutoPublish(attributes)
    const id = await this.#inOrganization(organizationId, async (tx) => {
      const made = await insertView(tx, attributes)
      await saveContents(tx, (await findView(tx, made)) as ViewRow, change)
      return made
    })
    return this.getView(actor, id)
  }

  /** Changes only what is given, also when others change the same view at the same time. */
  async updateView(actor: Actor, id: number, change: ViewChange): Promise<ContentView> {
    await this.changeView(actor, id, async (tx, view) => {
      refuseOtherKind(view, change)
      const { name, description, auto_publish, solve_dependencies } = change
      const attributes = given({ name, description, auto_publish, solve_dependencies })
      refuseAutoPublish({ ...view, ...attributes })
      await updateView(tx, id, attributes)
      await saveContents(tx, view, change)
    })
    return this.getView(actor, id)
  }

  /**
   * Makes a change while nobody else changes the same view.
   *
   * @throws AppError `forbidden` for whoever may not, `invalid` for default views
   */
  async changeView(
    actor: Actor,
    id: number,
    change: (tx: Transaction<ContentTables>, view: ViewRow) => Promise<void>,
  ): Promise<void> {
    const { db, access } = this.#parts
    const { organization_id } = await this.getRow(actor, id)
    await access.requireRole(actor, organization_id, editing)
    await db.transaction().execute(async (tx) => {
      const view = await lockView(tx, id, 'update')
      if (view === undefined) throw notFound('content view', id)
      refuseDefault(view)
      await change(tx, view)
    })
  }

  /** Makes a view that is published from the same repositories or components, with the same filters. */
  async copyView(
    actor: Actor,
    id: number,
    { name, label }: { readonly name: string; readonly label: string | undefined },
  ): Promise<ContentView> {
    const { organization_id } = await this.getRow(actor, id)
    await this.#parts.access.requireRole(actor, organization_id, creating)
    const copied = await this.#inOrganization(organization_id, async (tx) => {
      const view = await lockView(tx, id, 'update')
      if (view === undefined) throw notFound('content view', id)
      refuseDefault(view)
      const { description, is_composite, auto_publish, solve_dependencies, import_only } = view
      const same = { description, is_composite, auto_publish, solve_dependencies, import_only }
      const made = await insertView(tx, { organization_id, ...named(name, label), ...same })
      await copySelection(tx, id, made)
      return made
    })
    return this.getView(actor, copied)
  }

  async listHistory(actor: Actor, id: number, request: ListRequest): Promise<Listed<HistoryRecord>> {
    await this.getRow(actor, id)
    return listHistory(this.#parts.db, id, request)
  }

  async #inOrganization<T>(id: number, make: (tx: Transaction<ContentTables>) => Promise<T>): Promise<T> {
    return this.#parts.db.transaction().execute(async (tx) => {
      if (!(await lockOrganization(tx, id, 'share'))) throw notFound('organization', id)
      return make(tx)
    })
  }

  async #show(actor: Actor, views: readonly ViewRow[]): Promise<ContentView[]> {
    const { db, access } = this.#parts
    const organizationIds = views.map(({ organization_id }) => organization_id)
    const viewIds = views.map(({ id }) => id)
    const [details, roles] = await Promise.all([findViewDetails(db, viewIds), access.findRoles(actor, organizationIds)])
    return views.map((view) => ({ view, details, role: roles.get(view.organization_id) }))
  }
}

function named(name: string, wanted: string | undefined): { readonly name: string; readonly label: string } {
  const label = labelFor(name, wanted)
  if (reservedLabels.has(label)) throw invalidField('label', `must not be "${label}", which paths of content have`)
  return { name, label }
}

function refuseDefault({ is_default }: ViewRow): void {
  if (is_default) throw invalidField('id', 'is the default content view, which always shows what is in Library')
}

function refuseAutoPublish({ auto_publish, is_composite }: Pick<ViewRow, 'auto_publish' | 'is_composite'>): void {
  if (auto_publish && !is_composite) throw invalidField('auto_publish', 'must be false: only composite views have it')
}

function refuseOtherKind(view: ViewRow, { is_composite, import_only }: ViewChange): void {
  if (is_composite !== undefined && is_composite !== view.is_composite)
    throw invalidField('composite', 'cannot be changed')
  if (import_only !== undefined && import_only !== view.import_only)
    throw invalidField('import_only', 'cannot be changed')
}

function given(attributes: { readonly [Name in keyof ViewAttributes]: ViewAttributes[Name] | undefined }) {
  const entries = Object.entries(attributes).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as Partial<ViewAttributes>
}
