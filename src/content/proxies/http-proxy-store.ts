import { type SqlBool, sql } from 'kysely'
import { type Db, isForeignKeyViolation, isUniqueViolation } from '../../platform/db/database.ts'
import { AppError, invalidField } from '../../platform/errors.ts'
import type { Listed, ListRequest } from '../../platform/search/list-request.ts'
import { listRows } from '../../platform/search/list-rows.ts'
import type { ContentTables, HttpProxyRow } from '../tables.ts'
import { httpProxySearch } from './http-proxy-search.ts'

type ContentDb = Db<ContentTables>

export interface HttpProxyAttributes {
  readonly name: string
  readonly url: string
  readonly username: string | null
  readonly password_sealed: string | null
}

export async function insertHttpProxy(tx: ContentDb, proxy: HttpProxyAttributes): Promise<number> {
  const query = tx.insertInto('http_proxies').values({ ...proxy, is_shared: true })
  const { id } = await refusingTaken(proxy.name, () => query.returning('id').executeTakeFirstOrThrow())
  return id
}

/** Replaces all attributes of one that is locked. */
export async function updateHttpProxy(tx: ContentDb, id: number, proxy: HttpProxyAttributes): Promise<void> {
  const query = tx.updateTable('http_proxies').set({ ...proxy, updated_at: sql`now()` })
  await refusingTaken(proxy.name, () => query.where('id', '=', id).execute())
}

async function refusingTaken<T>(name: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (!isUniqueViolation(error, 'http_proxies_name_key')) throw error
    throw new AppError('invalid', `Validation failed: the name "${name}" is taken`, {
      cause: error,
      fields: { name: ['has already been taken'] },
    })
  }
}

/** Lets these organizations use a proxy, and no others; all when there are none. */
export async function saveOrganizations(tx: ContentDb, id: number, organizationIds: readonly number[]): Promise<void> {
  const wanted = [...new Set(organizationIds)]
  await tx.deleteFrom('http_proxy_organizations').where('proxy_id', '=', id).execute()
  await tx
    .updateTable('http_proxies')
    .set({ is_shared: wanted.length === 0 })
    .where('id', '=', id)
    .execute()
  if (wanted.length === 0) return
  const rows = wanted.map((organizationId) => ({ proxy_id: id, organization_id: organizationId }))
  try {
    await tx.insertInto('http_proxy_organizations').values(rows).execute()
  } catch (error) {
    if (isForeignKeyViolation(error)) throw invalidField('organization_ids', 'must be ids of organizations')
    throw error
  }
}

/** `forShare` keeps it as it is until the transaction ends, `forUpdate` also keeps others from beginning to use it. */
export async function findHttpProxy(
  db: ContentDb,
  id: number,
  lock?: 'forShare' | 'forUpdate',
): Promise<HttpProxyRow | undefined> {
  const query = db.selectFrom('http_proxies').selectAll().where('id', '=', id)
  return (lock === undefined ? query : query[lock]()).executeTakeFirst()
}

/** These proxies by their ids; those that are null or gone are left out. */
export async function findHttpProxies(
  db: ContentDb,
  ids: readonly (number | null)[],
): Promise<Map<number, HttpProxyRow>> {
  const wanted = [...new Set(ids.filter((id) => id !== null))]
  if (wanted.length === 0) return new Map()
  const rows = await db.selectFrom('http_proxies').selectAll().where('id', 'in', wanted).execute()
  return new Map(rows.map((row) => [row.id, row]))
}

export async function deleteHttpProxy(tx: ContentDb, id: number): Promise<void> {
  await tx.deleteFrom('http_proxies').where('id', '=', id).execute()
}

export interface HttpProxyFilter {
  /** Only those that somebody sees as a member of organizations. */
  readonly memberId?: number | undefined
  /** Only those that an organization may use. */
  readonly organizationId?: number | undefined
  readonly id?: number | undefined
}

export async function listHttpProxies(
  db: ContentDb,
  filter: HttpProxyFilter,
  request: ListRequest,
): Promise<Listed<HttpProxyRow>> {
  return listRows(selectVisible(db, filter).selectAll('http_proxies'), httpProxySearch, request)
}

/** The proxy unless the filter leaves it out. */
export async function findVisibleProxy(
  db: ContentDb,
  filter: HttpProxyFilter & { readonly id: number },
): Promise<HttpProxyRow | undefined> {
  return selectVisible(db, filter).selectAll('http_proxies').executeTakeFirst()
}

function selectVisible(db: ContentDb, { memberId, organizationId, id }: HttpProxyFilter) {
  let query = db.selectFrom('http_proxies')
  if (id !== undefined) query = query.where('id', '=', id)
  if (organizationId !== undefined)
    query = query.where(sql<SqlBool>`(http_proxies.is_shared or exists (
      select from http_proxy_organizations o
      where o.proxy_id = http_proxies.id and o.organization_id = ${organizationId}))`)
  if (memberId !== undefined)
    query = query.where(sql<SqlBool>`(http_proxies.is_shared or exists (
      select from http_proxy_organizations o join organization_members m using (organization_id)
      where o.proxy_id = http_proxies.id and m.user_id = ${memberId}))`)
  return query
}

export interface ProxyOrganization {
  readonly proxy_id: number
  readonly id: number
  readonly name: string
  readonly label: string
}

/** The organizations of these proxies, by name. */
export async function listProxyOrganizations(db: ContentDb, proxyIds: readonly number[]): Promise<ProxyOrganization[]> {
  if (proxyIds.length === 0) return []
  return db
    .selectFrom('http_proxy_organizations as used')
    .innerJoin('organizations as o', 'o.id', 'used.organization_id')
    .select(['used.proxy_id', 'o.id', 'o.name', 'o.label'])
    .where('used.proxy_id', 'in', proxyIds)
    .orderBy('o.name')
    .execute()
}

/** The repositories that name a proxy, with the organizations that they are in. */
export async function listProxyUsers(
  db: ContentDb,
  proxyId: number,
): Promise<{ readonly name: string; readonly organization_id: number }[]> {
  return db
    .selectFrom('root_repositories as root')
    .innerJoin('products as p', 'p.id', 'root.product_id')
    .select(['root.name', 'p.organization_id'])
    .where('root.http_proxy_id', '=', proxyId)
    .orderBy('root.name')
    .execute()
}

export async function findHttpProxyByName(db: ContentDb, name: string): Promise<HttpProxyRow | undefined> {
  return db.selectFrom('http_proxies').selectAll().where('name', '=', name).executeTakeFirst()
}

/** What was said about the default: undefined when nothing was, null when there is to be none. */
export async function findStoredDefault(db: ContentDb): Promise<number | null | undefined> {
  const row = await db.selectFrom('default_http_proxy').select('proxy_id').executeTakeFirst()
  return row?.proxy_id
}

export async function saveDefault(db: ContentDb, proxyId: number | null): Promise<void> {
  await db
    .insertInto('default_http_proxy')
    .values({ proxy_id: proxyId })
    .onConflict((conflict) => conflict.column('is_only').doUpdateSet({ proxy_id: proxyId }))
    .execute()
}
