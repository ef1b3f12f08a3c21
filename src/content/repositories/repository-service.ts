import type { Kysely, Transaction } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { SecretBox } from '../../platform/auth/secret-box.ts'
import { AppError, notFound } from '../../platform/errors.ts'
import type { Listed, ListRequest } from '../../platform/search/list-request.ts'
import type { TaskRow } from '../../platform/tasks/tables.ts'
import type { TaskService } from '../../platform/tasks/task-service.ts'
import type { ContentType } from '../content-type.ts'
import { credentialIdsOf } from '../credentials/credential-references.ts'
import { findCredentials } from '../credentials/credential-store.ts'
import { findEnvironment } from '../environments/environment-store.ts'
import { labelFor } from '../label.ts'
import type { OrganizationAccess } from '../organizations/organization-access.ts'
import { findOrganization } from '../organizations/organization-store.ts'
import type { ProductService, ProductView } from '../products/product-service.ts'
import { lockProduct } from '../products/product-store.ts'
import type { ChosenProxies, UpstreamProxies } from '../proxies/upstream-proxies.ts'
import { insertContentSet } from '../sets/content-set-store.ts'
import type { ContentTables, OrganizationRole, ProductRow } from '../tables.ts'
import { contentTypes } from '../types/index.ts'
import type { AttributeValues } from '../unit-filter.ts'
import { findLibraryPlace } from '../views/default-view-store.ts'
import { findVersion } from '../views/version-store.ts'
import { findView } from '../views/view-store.ts'
import { refuseCopy } from './repository-copy.ts'
import { findFacts } from './repository-facts.ts'
import { listRepositories, type RepositoryFilter } from './repository-list-store.ts'
import { referenceProblems } from './repository-references.ts'
import {
  findRepository,
  insertRepository,
  insertRootRepository,
  lockRootRepository,
  type NewRootRepository,
  type RepositoryRecord,
  updateRootRepository,
} from './repository-store.ts'
import {
  changeValues,
  columnsOf,
  defaultValues,
  type Problems,
  refuseProblems,
  valueProblems,
  valuesOf,
} from './repository-values.ts'

/** A repository with the task that synced it last. */
export interface RepositoryView {
  readonly repository: RepositoryRecord
  readonly lastSync: TaskRow | undefined
  /** The names of the credentials that it uses, by their ids. */
  readonly credentialNames: ReadonlyMap<number, string>
  readonly proxies: ChosenProxies
}

/** The same with what its content says of it. */
export interface SingleRepositoryView extends RepositoryView {
  readonly facts: AttributeValues
}

export interface NewRepositoryRequest {
  readonly productId: number
  readonly name: string
  readonly label?: string | null
  readonly contentType: string
  readonly attributes: AttributeValues
}

export interface RepositoryChange {
  readonly name?: string | undefined
  readonly attributes: AttributeValues
}

interface Needed {
  readonly role: OrganizationRole
  readonly permission: string
}

/** What lists of repositories and of their units are cut down to. */
type RepositoryScope = Pick<RepositoryFilter, 'organizationId' | 'environmentId' | 'viewId' | 'viewVersionId'>

export interface RepositoryServiceParts {
  readonly db: Kysely<ContentTables>
  readonly access: OrganizationAccess
  readonly products: ProductService
  readonly tasks: TaskService
  readonly secrets: SecretBox
  readonly proxies: UpstreamProxies
}

/** Repositories: what they are, who may see and change them, and the tasks that are asked of them. */
export class RepositoryService {
  readonly #parts: RepositoryServiceParts

  constructor(parts: RepositoryServiceParts) {
    this.#parts = parts
  }

  /**
   * Gives the repositories that the actor sees; administrators may ask what another user sees.
   *
   * @throws AppError `not_found` when there is nothing of an id that is asked for, or `forbidden`
   */
  async listRepositories(
    actor: Actor,
    { username, ...filter }: RepositoryFilter & { readonly username?: string | undefined },
    request: ListRequest,
  ): Promise<Listed<RepositoryView>> {
    const { db, access, products } = this.#parts
    const memberId = username === undefined ? access.memberId(actor) : await access.memberIdOf(actor, username)
    if (filter.productId !== undefined) await products.getProduct(actor, filter.productId)
    await this.requireScope(actor, filter)
    const { rows, ...counts } = await listRepositories(db, { ...filter, memberId }, request)
    return { rows: await this.#view(rows), ...counts }
  }

  /** @throws AppError `not_found` when there is no such organization or environment, or version of a content view */
  async requireScope(actor: Actor, scope: RepositoryScope): Promise<void> {
    const { organizationId, environmentId, viewId, viewVersionId } = scope
    const { db } = this.#parts
    if (organizationId !== undefined) await this.#requireOrganization(actor, organizationId)
    const named = [
      ['environment', environmentId, findEnvironment],
      ['content view', viewId, findView],
      ['content view version', viewVersionId, findVersion],
    ] as const
    for (const [kind, id, find] of named) {
      if (id === undefined) continue
      const found = await find(db, id)
      const isThere = organizationId === undefined || found?.organization_id === organizationId
      if (!(isThere && (await this.#canView(actor, found)))) throw notFound(kind, id)
    }
  }

  /** @throws AppError `not_found`, also when it belongs to another organization than the one that is asked for */
  async getRepository(actor: Actor, id: number, organizationId?: number): Promise<SingleRepositoryView> {
    const repository = await this.#visible(actor, id, organizationId)
    const [[view], facts] = await Promise.all([this.#view([repository]), findFacts(this.#parts.db, repository)])
    return { ...(view as RepositoryView), facts }
  }

  /** @throws AppError `invalid` that names every attribute that cannot be as it was given */
  async createRepository(
    actor: Actor,
    { productId, name, label, contentType, attributes }: NewRepositoryRequest,
  ): Promise<SingleRepositoryView> {
    const { db, access, products } = this.#parts
    const owner = await products.getProduct(actor, productId)
    const { id: organizationId } = owner.organization
    await access.requireRole(actor, organizationId, { role: 'manager', permission: 'edit_products' })
    const type = typeOf(contentType)
    const named = { name, label: labelFor(name, label ?? undefined), product_id: productId, content_type: contentType }
    const id = await db.transaction().execute(async (tx) => {
      const product = await lockProduct(tx, productId, 'share')
      if (product === undefined) throw notFound('product', productId)
      const given = { ...attributes, ...inherited(product, attributes) }
      const columns = await this.#columns(tx, { type, organizationId, values: defaultValues(type), given })
      return insertLibraryInstance(tx, owner, { ...columns, ...named })
    })
    return this.getRepository(actor, id)
  }

  /** Changes only what is given, also when others change the same repository at the same time. */
  async updateRepository(
    actor: Actor,
    id: number,
    { name, attributes }: RepositoryChange,
  ): Promise<SingleRepositoryView> {
    const { db } = this.#parts
    const repository = await this.getEditable(actor, id, { role: 'editor', permission: 'edit_products' })
    if (name === undefined && Object.values(attributes).every((value) => value === undefined))
      throw new AppError(
        'malformed',
        'Cannot change the repository: the request names no attribute that can be changed',
      )
    const type = typeOf(repository.content_type)
    await db.transaction().execute(async (tx) => {
      const root = await lockRootRepository(tx, repository.root_id)
      if (root === undefined) throw notFound('repository', id)
      const { organization_id: organizationId } = repository
      const columns = await this.#columns(tx, { type, organizationId, values: valuesOf(type, root), given: attributes })
      await updateRootRepository(tx, repository.root_id, { ...columns, name: name ?? root.name })
    })
    return this.getRepository(actor, id)
  }

  /**
   * Gives a repository in Library to whoever may do something with it.
   *
   * @throws AppError `not_found`, `forbidden` that names the permission, or `invalid` when it is a copy
   */
  async getEditable(actor: Actor, id: number, needed: Needed): Promise<RepositoryRecord> {
    const repository = await this.getServed(actor, id, needed)
    refuseCopy(repository)
    return repository
  }

  /** The same for what can also be done with the copies that versions of content views hold. */
  async getServed(actor: Actor, id: number, needed: Needed): Promise<RepositoryRecord> {
    const repository = await this.#visible(actor, id)
    await this.#parts.access.requireRole(actor, repository.organization_id, needed)
    return repository
  }

  async #columns(tx: Transaction<ContentTables>, { type, organizationId, values, given }: Wanted) {
    const changed = changeValues({ type, secrets: this.#parts.secrets }, values, given)
    refuseProblems({
      ...valueProblems(type, changed, given),
      ...(await referenceProblems(tx, organizationId, given)),
      ...unmakeableProblems(type),
    })
    return columnsOf(type, changed)
  }

  async #requireOrganization(actor: Actor, id: number): Promise<void> {
    const { db, access } = this.#parts
    const isThere = (await access.canView(actor, id)) && (await findOrganization(db, id))
    if (!isThere) throw notFound('organization', id)
  }

  async #canView(actor: Actor, found: { readonly organization_id: number } | undefined): Promise<boolean> {
    return found !== undefined && (await this.#parts.access.canView(actor, found.organization_id))
  }

  async #visible(actor: Actor, id: number, organizationId?: number): Promise<RepositoryRecord> {
    const repository = await findRepository(this.#parts.db, id)
    const isThere = organizationId === undefined || organizationId === repository?.organization_id
    if (repository === undefined || !isThere || !(await this.#canView(actor, repository)))
      throw notFound('repository', id)
    return repository
  }

  async #view(repositories: readonly RepositoryRecord[]): Promise<RepositoryView[]> {
    const { db, tasks, proxies } = this.#parts
    const ids = repositories.map(({ last_sync_task_id }) => last_sync_task_id).filter((id) => id !== null)
    const credentialIds = repositories.flatMap((repository) => Object.values(credentialIdsOf(repository)))
    const [syncs, used, proxiesOf] = await Promise.all([
      tasks.findTasks(ids),
      findCredentials(db, credentialIds),
      proxies.findAll(repositories),
    ])
    const credentialNames = new Map([...used].map(([id, { name }]) => [id, name]))
    const syncOf = new Map(syncs.map((task) => [task.id, task]))
    return repositories.map((repository) => ({
      repository,
      credentialNames,
      proxies: proxiesOf(repository),
      lastSync: syncOf.get(repository.last_sync_task_id ?? ''),
    }))
  }
}

/** Values that are to be changed by what was given. */
interface Wanted {
  readonly type: ContentType
  readonly organizationId: number
  readonly values: AttributeValues
  readonly given: AttributeValues
}

/** The product's credentials, where the request says nothing about its own. */
function inherited(product: ProductRow, given: AttributeValues): AttributeValues {
  return Object.fromEntries(Object.entries(credentialIdsOf(product)).filter(([name]) => given[name] === undefined))
}

function typeOf(name: string): ContentType {
  return contentTypes.find((type) => type.name === name) as ContentType
}

function unmakeableProblems({ name, work }: ContentType): Problems {
  if (work !== undefined) return {}
  const makeable = contentTypes.filter((type) => type.work !== undefined).map((type) => type.name)
  return { content_type: [`cannot be ${name} yet; can be ${makeable.join(', ')}`] }
}

async function insertLibraryInstance(
  tx: Transaction<ContentTables>,
  { organization, product }: ProductView,
  root: NewRootRepository,
): Promise<number> {
  const library = await findLibraryPlace(tx, organization.id)
  if (library === undefined) throw notFound('organization', organization.id)
  const rootId = await insertRootRepository(tx, root)
  return insertRepository(tx, {
    root_id: rootId,
    environment_id: library.environmentId,
    version_id: library.versionId,
    set_id: await insertContentSet(tx),
    relative_path: [organization.label, library.environmentLabel, 'custom', product.label, root.label].join('/'),
  })
}
