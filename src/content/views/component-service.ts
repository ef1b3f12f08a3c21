import type { Kysely, Transaction } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import { invalidField, notFound } from '../../platform/errors.ts'
import type { ContentTables } from '../tables.ts'
import type { ViewRow } from '../view-tables.ts'
import { type ComponentRecord, deleteComponents, listComponents, saveComponent } from './component-store.ts'
import { findParts } from './view-parts.ts'
import type { ViewService } from './view-service.ts'
import { updateView } from './view-store.ts'

/** A view, and which version of it: a named one, or always the latest. */
export interface ComponentRequest {
  readonly viewId?: number | undefined
  readonly versionId?: number | undefined
  readonly isLatest?: boolean | undefined
}

/** What composite views are made of. */
export class ComponentService {
  readonly #db: Kysely<ContentTables>
  readonly #views: ViewService

  constructor(db: Kysely<ContentTables>, views: ViewService) {
    this.#db = db
    this.#views = views
  }

  async listComponents(actor: Actor, compositeId: number): Promise<ComponentRecord[]> {
    await this.#views.getRow(actor, compositeId)
    return listComponents(this.#db, [compositeId])
  }

  async getComponent(actor: Actor, compositeId: number, id: number): Promise<ComponentRecord> {
    const component = (await this.listComponents(actor, compositeId)).find((one) => one.id === id)
    if (component === undefined) throw notFound('content view component', id)
    return component
  }

  /** @throws AppError `invalid` also for views that are components already */
  async addComponents(
    actor: Actor,
    compositeId: number,
    requests: readonly ComponentRequest[],
  ): Promise<ComponentRecord[]> {
    for (const request of requests) refuseUnclear('components', request)
    await this.#change(actor, compositeId, async (tx, view) => {
      const parts = await findParts(tx, view, { field: 'components', wanted: requests })
      const present = await listComponents(tx, [compositeId])
      const twice = present.find(({ view_id }) => parts.some(({ viewId }) => viewId === view_id))
      if (twice !== undefined)
        throw invalidField('components', `must be new: content view "${twice.view_name}" is a component already`)
      for (const part of parts) await saveComponent(tx, compositeId, part)
    })
    return this.listComponents(actor, compositeId)
  }

  async removeComponents(actor: Actor, compositeId: number, ids: readonly number[]): Promise<ComponentRecord[]> {
    await this.#change(actor, compositeId, async (tx) => {
      const present = await listComponents(tx, [compositeId])
      const unknown = ids.filter((id) => !present.some((component) => component.id === id))
      if (unknown.length > 0)
        throw invalidField('component_ids', `must be ids of components of the view: ${unknown.join(', ')} is none`)
      await deleteComponents(tx, compositeId, ids)
    })
    return this.listComponents(actor, compositeId)
  }

  async updateComponent(
    actor: Actor,
    { compositeId, id }: { readonly compositeId: number; readonly id: number },
    { versionId, isLatest }: Omit<ComponentRequest, 'viewId'>,
  ): Promise<ComponentRecord> {
    await this.getComponent(actor, compositeId, id)
    await this.#change(actor, compositeId, async (tx, view) => {
      const component = (await listComponents(tx, [compositeId])).find((one) => one.id === id)
      if (component === undefined) throw notFound('content view component', id)
      const viewId = component.view_id
      refuseUnclear('content_view_version_id', { viewId, versionId, isLatest })
      const [part] = await findParts(tx, view, { field: 'content_view_version_id', wanted: [{ viewId, versionId }] })
      if (part !== undefined) await saveComponent(tx, compositeId, part)
    })
    return this.getComponent(actor, compositeId, id)
  }

  async #change(
    actor: Actor,
    compositeId: number,
    change: (tx: Transaction<ContentTables>, view: ViewRow) => Promise<void>,
  ): Promise<void> {
    await this.#views.changeView(actor, compositeId, async (tx, view) => {
      if (!view.is_composite) throw invalidField('composite_content_view_id', 'must be that of a composite view')
      await change(tx, view)
      await updateView(tx, compositeId, {})
    })
  }
}

function refuseUnclear(field: string, { viewId, versionId, isLatest = false }: ComponentRequest): void {
  if (isLatest && versionId !== undefined)
    throw invalidField(field, 'must not name a version together with latest, which follows the newest one')
  if (!isLatest && versionId === undefined) throw invalidField(field, 'must name a version, or say latest')
  if (isLatest && viewId === undefined) throw invalidField(field, 'must name a content view together with latest')
}
