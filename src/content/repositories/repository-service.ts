import type { Kysely, Transaction } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { SecretBox } from '../../platform/auth/secret-box.ts'
import { invalidField, notFound } from '../../platform/errors.ts'
import type { Page } from '../../platform/http/paging.ts'
import type { TaskRow } from '../../platform/tasks/tables.ts'
import type { TaskService } from '../../platform/tasks/task-service.ts'
import { labelFor } from '../label.ts'
import type { OrganizationAccess } from '../organizations/organization-access.ts'
import { findLibrary } from '../organizations/organization-store.ts'
import type { ProductService, ProductView } from '../products/product-service.ts'
import { insertContentSet } from '../sets/content-set-store.ts'
import { syncTask } from '../sync/sync-task.ts'
import type { ContentTables, OrganizationRole } from '../tables.ts'
import {
  findRepository,
  insertRepository,
  insertRootRepository,
  listRepositories,
  type NewRootRepository,
  type RepositoryFilter,
  type RepositoryRecord,
  setLastSyncTask,
} from './repository-store.ts'
import { parseUpstreamUrl } from './repository-url.ts'

/** A repository with the task that synced it last. */
export interface RepositoryView {
  readonly repository: RepositoryRecord
  readonly lastSync: TaskRow | undefined
}

export interface NewRepositoryRequest {
  readonly productId: number
  readonly name: string
  readonly label?: string | null
  readonly content_type: string
  readonly description?: string | null
  readonly url?: string | null
  readonly unprotected?: boolean
  readonly mirror_on_sync?: boolean
  readonly verify_ssl_on_sync?: boolean
  readonly download_concurrency?: number | null
  readonly upstream_username?: string | null
  readonly upstream_password?: string | null
}

export interface RepositoryServiceParts {
  readonly db: Kysely<ContentTables>
  readonly access: OrganizationAccess
  readonly products: ProductService
  readonly tasks: TaskService
  readonly secrets: SecretBox
}

/** Repositories: what they are, who may see and change them, and the tasks that are asked of them. */
export class RepositoryService {
  readonly #parts: RepositoryServiceParts

  constructor(parts: RepositoryServiceParts) {
    this.#parts = parts
  }

  async listRepositories(
    actor: Actor,
    filter: RepositoryFilter,
    page: Page,
  ): Promise<{ views: RepositoryView[]; total: number }> {
    const { db, access, products } = this.#parts
    if (filter.productId !== undefined) await products.getProduct(actor, filter.productId)
    const { rows, total } = await listRepositories(db, { ...filter, memberId: access.memberId(actor) }, page)
    return { views: await this.#view(rows), total }
  }

  /** @throws AppError `not_found`, also when it belongs to another organization than the one that is asked for */
  async getRepository(actor: Actor, id: number, organizationId?: number): Promise<RepositoryView> {
    const [view] = await this.#view([await this.#visible(actor, id, organizationId)])
    return view as RepositoryView
  }

  async createRepository(actor: Actor, { productId, ...request }: NewRepositoryRequest): Promise<RepositoryView> {
    const { db, access, products } = this.#parts
    const owner = await products.getProduct(actor, productId)
    await access.requireRole(actor, owner.organization.id, { role: 'manager', permission: 'edit_products' })
    const root = this.#newRoot(productId, request)
    const id = await db.transaction().execute((tx) => insertLibraryInstance(tx, owner, root))
    return this.getRepository(actor, id)
  }

  /**
   * Puts a sync into the repository's queue.
   *
   * @throws AppError `invalid` when the repository has no upstream
   */
  async startSync(actor: Actor, id: number): Promise<TaskRow> {
    const { db, tasks } = this.#parts
    const repository = await this.#visible(actor, id)
    await this.#requireRole(actor, repository, { role: 'editor', permission: 'sync_products' })
    if (repository.url === null) throw invalidField('url', 'is not set: there is no upstream to sync from')
    return db.transaction().execute(async (tx) => {
      const task = await tasks.enqueue(tx, syncTask(repository, actor))
      await setLastSyncTask(tx, id, task.id)
      return task
    })
  }

  async #visible(actor: Actor, id: number, organizationId?: number): Promise<RepositoryRecord> {
    const { db, access } = this.#parts
    const repository = await findRepository(db, id)
    const isThere =
      repository !== undefined && (organizationId === undefined || organizationId === repository.organization_id)
    if (!isThere || !(await access.canView(actor, repository.organization_id))) throw notFound('repository', id)
    return repository
  }

  async #requireRole(
    actor: Actor,
    { organization_id }: RepositoryRecord,
    needed: { role: OrganizationRole; permission: string },
  ): Promise<void> {
    await this.#parts.access.requireRole(actor, organization_id, needed)
  }

  #newRoot(productId: number, request: Omit<NewRepositoryRequest, 'productId'>): NewRootRepository {
    const { upstream_password: password, upstream_username: username, label, url, ...attributes } = request
    const upstream = url === undefined || url === null || url === '' ? null : parseUpstreamUrl(url) && url
    if (isText(password) && !isText(username))
      throw invalidField('upstream_username', 'is needed when there is an upstream_password')
    return {
      ...defaults,
      ...attributes,
      product_id: productId,
      label: labelFor(request.name, label ?? undefined),
      url: upstream,
      upstream_username: isText(username) ? username : null,
      upstream_password_sealed: isText(password) ? this.#parts.secrets.seal(password, passwordPurpose) : null,
    }
  }

  async #view(repositories: readonly RepositoryRecord[]): Promise<RepositoryView[]> {
    const ids = repositories.map(({ last_sync_task_id }) => last_sync_task_id).filter((id) => id !== null)
    const tasks = await this.#parts.tasks.findTasks(ids)
    return repositories.map((repository) => ({
      repository,
      lastSync: tasks.find(({ id }) => id === repository.last_sync_task_id),
    }))
  }
}

export const passwordPurpose = 'root_repositories.upstream_password'

const defaults = {
  description: null,
  unprotected: true,
  mirror_on_sync: true,
  verify_ssl_on_sync: true,
  download_concurrency: null,
}

function isText(value: string | null | undefined): value is string {
  return value !== undefined && value !== null && value !== ''
}

async function insertLibraryInstance(
  tx: Transaction<ContentTables>,
  { organization, product }: ProductView,
  root: NewRootRepository,
): Promise<number> {
  const library = await findLibrary(tx, organization.id)
  const rootId = await insertRootRepository(tx, root)
  return insertRepository(tx, {
    root_id: rootId,
    environment_id: library.id,
    set_id: await insertContentSet(tx),
    relative_path: [organization.label, library.label, 'custom', product.label, root.label].join('/'),
  })
}
