import type { Kysely, Transaction } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import { AppError, notFound } from '../../platform/errors.ts'
import type { Listed, ListRequest } from '../../platform/search/list-request.ts'
import { type CredentialIds, credentialIdsOf, credentialProblems } from '../credentials/credential-references.ts'
import { findCredentials } from '../credentials/credential-store.ts'
import { labelFor } from '../label.ts'
import type { OrganizationAccess } from '../organizations/organization-access.ts'
import type { OrganizationService } from '../organizations/organization-service.ts'
import { lockOrganization } from '../organizations/organization-store.ts'
import { listRepositoriesOf } from '../repositories/repository-store.ts'
import type { ContentTables, OrganizationRow, ProductRow } from '../tables.ts'
import {
  countLastSyncs,
  countRepositories,
  findProduct,
  insertProduct,
  type LastSyncs,
  listProducts,
  lockProduct,
  updateProduct,
} from './product-store.ts'

export interface NewProductRequest {
  readonly organizationId: number
  readonly name: string
  readonly label?: string | undefined
  readonly attributes: ProductChange['attributes']
}

export interface ProductChange {
  readonly name?: string | undefined
  readonly attributes: { readonly description?: string | null } & Partial<CredentialIds>
}

/** A product with what lists show beside its own row. */
export interface ProductView {
  readonly product: ProductRow
  readonly organization: OrganizationRow
  readonly repositoryCount: number
  readonly lastSyncs: readonly LastSyncs[]
}

/** A product with all that is shown of it. */
export interface ProductDetails extends ProductView {
  /** The names of the credentials that it uses, by their ids. */
  readonly credentialNames: ReadonlyMap<number, string>
  readonly repositories: readonly { readonly id: number; readonly name: string }[]
  /** What the asker may do with it. */
  readonly permissions: Readonly<Record<string, boolean>>
}

export interface ProductServiceParts {
  readonly db: Kysely<ContentTables>
  readonly access: OrganizationAccess
  readonly organizations: OrganizationService
}

/** Products: what repositories are grouped by within an organization. */
export class ProductService {
  readonly #parts: ProductServiceParts

  constructor(parts: ProductServiceParts) {
    this.#parts = parts
  }

  async listProducts(
    actor: Actor,
    filter: { readonly organizationId?: number | undefined; readonly name?: string; readonly label?: string },
    request: ListRequest,
  ): Promise<Listed<ProductView>> {
    const { db, access, organizations } = this.#parts
    if (filter.organizationId !== undefined) await organizations.getOrganization(actor, filter.organizationId)
    const { rows, ...counts } = await listProducts(db, { ...filter, memberId: access.memberId(actor) }, request)
    return { rows: await this.#view(rows), ...counts }
  }

  /** @throws AppError `not_found`, also for products of other organizations than the one that is asked for */
  async getProduct(actor: Actor, id: number, organizationId?: number): Promise<ProductView> {
    const product = await findProduct(this.#parts.db, id)
    const isThere = product !== undefined && (organizationId ?? product.organization_id) === product.organization_id
    if (!isThere || !(await this.#parts.access.canView(actor, product.organization_id))) throw notFound('product', id)
    const [view] = await this.#view([product])
    if (view === undefined) throw notFound('product', id)
    return view
  }

  /** As `getProduct`. */
  async getDetails(actor: Actor, id: number, organizationId?: number): Promise<ProductDetails> {
    const { db, access } = this.#parts
    const view = await this.getProduct(actor, id, organizationId)
    const { product } = view
    const [used, repositories, role] = await Promise.all([
      findCredentials(db, Object.values(credentialIdsOf(product))),
      listRepositoriesOf(db, id),
      access.findRole(actor, product.organization_id),
    ])
    const edits = role === 'editor' || role === 'manager'
    return {
      ...view,
      repositories: repositories.map((repository) => ({ id: repository.id, name: repository.name })),
      credentialNames: new Map([...used].map(([key, { name }]) => [key, name])),
      permissions: {
        view_products: true,
        edit_products: edits,
        sync_products: edits,
        destroy_products: role === 'manager',
        deletable: role === 'manager',
      },
    }
  }

  /** Gives a product to whoever may do something with it. */
  async getEditable(actor: Actor, id: number, needed: Needed): Promise<ProductView> {
    const view = await this.getProduct(actor, id)
    await this.#parts.access.requireRole(actor, view.organization.id, needed)
    return view
  }

  async createProduct(
    actor: Actor,
    { organizationId, name, label, attributes }: NewProductRequest,
  ): Promise<ProductDetails> {
    const { db, access, organizations } = this.#parts
    await organizations.getOrganization(actor, organizationId)
    await access.requireRole(actor, organizationId, { role: 'manager', permission: 'create_products' })
    const named = { organization_id: organizationId, name, label: labelFor(name, label) }
    const { id } = await db.transaction().execute(async (tx) => {
      if (!(await lockOrganization(tx, organizationId, 'share'))) throw notFound('organization', organizationId)
      await refuseReferences(tx, organizationId, attributes)
      return insertProduct(tx, { ...none, ...given(attributes), ...named })
    })
    return this.getDetails(actor, id)
  }

  /** Changes only what is given, also when others change the same product at the same time. */
  async updateProduct(actor: Actor, id: number, { name, attributes }: ProductChange): Promise<ProductDetails> {
    const { organization } = await this.getEditable(actor, id, { role: 'editor', permission: 'edit_products' })
    await this.#parts.db.transaction().execute(async (tx) => {
      const product = await lockProduct(tx, id, 'update')
      if (product === undefined) throw notFound('product', id)
      await refuseReferences(tx, organization.id, attributes)
      const { description } = product
      const present = { description, ...credentialIdsOf(product) }
      await updateProduct(tx, id, { ...present, ...given(attributes), name: name ?? product.name })
    })
    return this.getDetails(actor, id)
  }

  async #view(products: readonly ProductRow[]): Promise<ProductView[]> {
    const { db } = this.#parts
    const ids = [...new Set(products.map(({ organization_id }) => organization_id))]
    if (ids.length === 0) return []
    const productIds = products.map(({ id }) => id)
    const [counts, syncs, organizations] = await Promise.all([
      countRepositories(db, productIds),
      countLastSyncs(db, productIds),
      db.selectFrom('organizations').selectAll().where('id', 'in', ids).execute(),
    ])
    return products.flatMap((product) => {
      const organization = organizations.find(({ id }) => id === product.organization_id)
      // both may have been deleted since somebody looked
      if (organization === undefined) return []
      const lastSyncs = syncs.filter(({ product_id }) => product_id === product.id)
      return [{ product, organization, repositoryCount: counts.get(product.id) ?? 0, lastSyncs }]
    })
  }
}

type Needed = Parameters<OrganizationAccess['requireRole']>[2]

const none: ProductChange['attributes'] & CredentialIds & { description: string | null } = {
  description: null,
  gpg_key_id: null,
  ssl_ca_cert_id: null,
  ssl_client_cert_id: null,
  ssl_client_key_id: null,
}

/** Attributes without those that were not given, and without what is only heard. */
function given<T extends object>(attributes: T): Partial<T> {
  const entries = Object.entries(attributes).filter(([name, value]) => value !== undefined && name !== 'sync_plan_id')
  return Object.fromEntries(entries) as Partial<T>
}

async function refuseReferences(
  tx: Transaction<ContentTables>,
  organizationId: number,
  attributes: ProductChange['attributes'],
): Promise<void> {
  const problems = await credentialProblems(tx, organizationId, attributes)
  const words = Object.entries(problems).map(([name, messages]) => `${name} ${messages.join(', ')}`)
  if (words.length > 0) throw new AppError('invalid', `Validation failed: ${words.join('; ')}`, { fields: problems })
}
