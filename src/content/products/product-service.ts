import type { Kysely } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import { notFound } from '../../platform/errors.ts'
import type { Listed, ListRequest } from '../../platform/search/list-request.ts'
import { labelFor } from '../label.ts'
import type { OrganizationAccess } from '../organizations/organization-access.ts'
import type { OrganizationService } from '../organizations/organization-service.ts'
import type { ContentTables, OrganizationRow, ProductRow } from '../tables.ts'
import { countRepositories, findProduct, insertProduct, listProducts } from './product-store.ts'

export interface NewProductRequest {
  readonly organizationId: number
  readonly name: string
  readonly label?: string | undefined
  readonly description?: string | null | undefined
}

/** A product with what its answers show beside its own row. */
export interface ProductView {
  readonly product: ProductRow
  readonly organization: OrganizationRow
  readonly repositoryCount: number
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

  /** @throws AppError `not_found`, also for products of organizations that the actor does not belong to */
  async getProduct(actor: Actor, id: number): Promise<ProductView> {
    const product = await findProduct(this.#parts.db, id)
    const isVisible = product !== undefined && (await this.#parts.access.canView(actor, product.organization_id))
    if (!isVisible) throw notFound('product', id)
    const [view] = await this.#view([product])
    return view as ProductView
  }

  async createProduct(
    actor: Actor,
    { organizationId, name, label, description }: NewProductRequest,
  ): Promise<ProductView> {
    const { db, access, organizations } = this.#parts
    const organization = await organizations.getOrganization(actor, organizationId)
    await access.requireRole(actor, organizationId, { role: 'manager', permission: 'create_products' })
    const product = await insertProduct(db, {
      organization_id: organizationId,
      name,
      label: labelFor(name, label),
      description: description ?? null,
    })
    return { product, organization, repositoryCount: 0 }
  }

  async #view(products: readonly ProductRow[]): Promise<ProductView[]> {
    const { db } = this.#parts
    const ids = [...new Set(products.map(({ organization_id }) => organization_id))]
    if (ids.length === 0) return []
    const [counts, organizations] = await Promise.all([
      countRepositories(
        db,
        products.map(({ id }) => id),
      ),
      db.selectFrom('organizations').selectAll().where('id', 'in', ids).execute(),
    ])
    return products.map((product) => ({
      product,
      organization: organizations.find(({ id }) => id === product.organization_id) as OrganizationRow,
      repositoryCount: counts.get(product.id) ?? 0,
    }))
  }
}
