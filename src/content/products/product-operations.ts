import type { Kysely } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import { invalidField, notFound } from '../../platform/errors.ts'
import type { TaskRow } from '../../platform/tasks/tables.ts'
import type { TaskService } from '../../platform/tasks/task-service.ts'
import type { NewTask } from '../../platform/tasks/task-store.ts'
import { organizationScope } from '../organizations/organization-access.ts'
import { refuseHeld } from '../repositories/repository-copy.ts'
import { listRepositoriesOf } from '../repositories/repository-store.ts'
import type { ContentTables } from '../tables.ts'
import { deletionKinds } from '../upkeep/reclaim-space.ts'
import type { ProductService, ProductView } from './product-service.ts'
import { lockProduct } from './product-store.ts'
import { productSyncKind } from './product-sync.ts'

/** How long the answer to a deletion waits for it; afterwards it tells of a task that is still running. */
const deletionWaitMs = 20_000

export interface ProductOperationsParts {
  readonly db: Kysely<ContentTables>
  readonly products: ProductService
  readonly tasks: TaskService
}

/** What can be done with a product and all its repositories at once. */
export class ProductOperations {
  readonly #parts: ProductOperationsParts

  constructor(parts: ProductOperationsParts) {
    this.#parts = parts
  }

  /**
   * Deletes a product with its repositories, and waits a while for it.
   *
   * @throws AppError `conflict` that names the versions of content views that hold one of them
   */
  async deleteProduct(actor: Actor, id: number, signal: AbortSignal): Promise<TaskRow> {
    const { db, products, tasks } = this.#parts
    const view = await products.getEditable(actor, id, { role: 'manager', permission: 'destroy_products' })
    const repositories = await listRepositoriesOf(db, id)
    await refuseHeld(
      db,
      repositories.map((repository) => repository.id),
      'none',
    )
    const task = await this.#enqueue(actor, view, {
      kind: deletionKinds.product,
      label: 'Actions::Katello::Product::Destroy',
      humanizedAction: 'Delete Product',
      resources: [{ name: `product:${id}`, mode: 'exclusive' }],
    })
    return tasks.waitForEnd(task.id, AbortSignal.any([signal, AbortSignal.timeout(deletionWaitMs)]))
  }

  /**
   * Syncs all repositories of a product that have an upstream.
   *
   * @throws AppError `invalid` when there are none
   */
  async startSync(actor: Actor, id: number): Promise<TaskRow> {
    const { db, products } = this.#parts
    const view = await products.getEditable(actor, id, { role: 'editor', permission: 'sync_products' })
    const ids = (await listRepositoriesOf(db, id)).filter(({ url }) => url !== null).map((row) => row.id)
    if (ids.length === 0)
      throw invalidField('url', 'is set in no repository of the product: there is no upstream to sync from')
    return this.#enqueue(actor, view, {
      kind: productSyncKind,
      label: 'Actions::BulkAction',
      humanizedAction: 'Synchronize',
      input: { repository_ids: ids },
      resources: [],
    })
  }

  async #enqueue(actor: Actor, { product, organization }: ProductView, work: Work): Promise<TaskRow> {
    const { db, tasks } = this.#parts
    const { id, name, label } = product
    return db.transaction().execute(async (tx) => {
      if ((await lockProduct(tx, id, 'share')) === undefined) throw notFound('product', id)
      return tasks.enqueue(tx, {
        ...work,
        action: `${work.humanizedAction} '${name}'; organization '${organization.name}'`,
        humanizedInput: [
          ['product', { text: `product '${name}'`, link: `/products/${id}/` }],
          [
            'organization',
            { text: `organization '${organization.name}'`, link: `/organizations/${organization.id}/edit` },
          ],
        ],
        input: {
          product: { id, name, label, cp_id: String(id) },
          organization: { id: organization.id, name: organization.name, label: organization.label },
          ...work.input,
        },
        user: { id: actor.userId, login: actor.login },
        scope: organizationScope(organization.id),
      })
    })
  }
}

type Work = Pick<NewTask, 'kind' | 'label' | 'humanizedAction' | 'resources'> & Partial<Pick<NewTask, 'input'>>
