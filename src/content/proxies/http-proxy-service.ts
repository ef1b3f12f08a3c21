import type { Kysely, Transaction } from 'kysely'
import { type Actor, requireRight } from '../../platform/auth/actor.ts'
import type { SecretBox } from '../../platform/auth/secret-box.ts'
import { AppError, invalidField, notFound } from '../../platform/errors.ts'
import type { Listed, ListRequest } from '../../platform/search/list-request.ts'
import type { OrganizationAccess } from '../organizations/organization-access.ts'
import type { OrganizationService } from '../organizations/organization-service.ts'
import type { ContentTables, HttpProxyRow } from '../tables.ts'
import {
  deleteHttpProxy,
  findHttpProxy,
  findVisibleProxy,
  type HttpProxyAttributes,
  insertHttpProxy,
  listHttpProxies,
  listProxyOrganizations,
  listProxyUsers,
  type ProxyOrganization,
  saveOrganizations,
  updateHttpProxy,
} from './http-proxy-store.ts'
import { proxyPasswordPurpose, type UpstreamProxies } from './upstream-proxies.ts'

/** Null and an empty text take user and password away. */
export interface HttpProxyChange {
  readonly name?: string
  readonly url?: string
  readonly username?: string | null
  readonly password?: string | null
  readonly organization_ids?: readonly number[] | null
}

export interface HttpProxyView {
  readonly proxy: HttpProxyRow
  /** Those that may use it, as far as somebody may know of them. */
  readonly organizations: readonly ProxyOrganization[]
}

export interface HttpProxyServiceParts {
  readonly db: Kysely<ContentTables>
  readonly access: OrganizationAccess
  readonly organizations: OrganizationService
  readonly secrets: SecretBox
  readonly proxies: UpstreamProxies
}

/** The HTTP proxies that administrators keep, for all organizations or for some. */
export class HttpProxyService {
  readonly #parts: HttpProxyServiceParts

  constructor(parts: HttpProxyServiceParts) {
    this.#parts = parts
  }

  async listProxies(
    actor: Actor,
    organizationId: number | undefined,
    request: ListRequest,
  ): Promise<Listed<HttpProxyView>> {
    const { db, access, organizations } = this.#parts
    if (organizationId !== undefined) await organizations.getOrganization(actor, organizationId)
    const filter = { memberId: access.memberId(actor), organizationId }
    const { rows, ...counts } = await listHttpProxies(db, filter, request)
    return { rows: await this.#view(actor, rows), ...counts }
  }

  async getProxy(actor: Actor, id: number): Promise<HttpProxyView> {
    const [view] = await this.#view(actor, [await this.#visible(actor, id)])
    return view as HttpProxyView
  }

  async createProxy(
    actor: Actor,
    { organization_ids: organizationIds, ...wanted }: HttpProxyChange & { readonly name: string; readonly url: string },
  ): Promise<HttpProxyView> {
    requireRight(actor, 'admin')
    const nothing = { name: wanted.name, url: wanted.url, username: null, password_sealed: null }
    const attributes = this.#changed(nothing, wanted)
    const id = await this.#parts.db.transaction().execute(async (tx) => {
      const inserted = await insertHttpProxy(tx, attributes)
      await saveOrganizations(tx, inserted, organizationIds ?? [])
      return inserted
    })
    return this.getProxy(actor, id)
  }

  /** @throws AppError `conflict` that names repositories whose organizations could not use it any more */
  async updateProxy(
    actor: Actor,
    id: number,
    { organization_ids: organizationIds, ...change }: HttpProxyChange,
  ): Promise<HttpProxyView> {
    await this.#requireChangeable(actor, id)
    await this.#parts.db.transaction().execute(async (tx) => {
      const present = await this.#locked(tx, id)
      await updateHttpProxy(tx, id, this.#changed(present, change))
      if (organizationIds === undefined || organizationIds === null) return
      await saveOrganizations(tx, id, organizationIds)
      const lost = (await listProxyUsers(tx, id)).filter((user) => !organizationIds.includes(user.organization_id))
      if (organizationIds.length > 0) refuseUsed(lost, `take HTTP proxy "${present.name}" from its organizations`)
    })
    return this.getProxy(actor, id)
  }

  /**
   * Gives what was deleted.
   *
   * @throws AppError `conflict` that says what uses it
   */
  async deleteProxy(actor: Actor, id: number): Promise<HttpProxyView> {
    await this.#requireChangeable(actor, id)
    const view = await this.getProxy(actor, id)
    await this.#parts.db.transaction().execute(async (tx) => {
      const { name } = await this.#locked(tx, id)
      refuseUsed(await listProxyUsers(tx, id), `delete HTTP proxy "${name}"`)
      if ((await this.#parts.proxies.findDefaultId(tx)) === id)
        throw new AppError('conflict', `Cannot delete HTTP proxy "${name}": it is the default proxy`)
      await deleteHttpProxy(tx, id)
    })
    return view
  }

  #changed(present: HttpProxyAttributes, { name, url, username, password }: HttpProxyChange): HttpProxyAttributes {
    const { secrets } = this.#parts
    if (url !== undefined) checkProxyUrl(url)
    const user = username === undefined ? present.username : username || null
    const sealed = password ? secrets.seal(password, proxyPasswordPurpose) : null
    const passwordSealed = password === undefined ? present.password_sealed : sealed
    if (user === null && passwordSealed !== null) throw invalidField('username', 'is needed when there is a password')
    if (user?.includes(':')) throw invalidField('username', 'must not contain a colon')
    return {
      name: name ?? present.name,
      url: url ?? present.url,
      username: user,
      password_sealed: passwordSealed,
    }
  }

  async #visible(actor: Actor, id: number): Promise<HttpProxyRow> {
    const { db, access } = this.#parts
    const proxy = await findVisibleProxy(db, { id, memberId: access.memberId(actor) })
    if (proxy === undefined) throw notFound('HTTP proxy', id)
    return proxy
  }

  async #requireChangeable(actor: Actor, id: number): Promise<void> {
    await this.#visible(actor, id)
    requireRight(actor, 'admin')
  }

  async #locked(tx: Transaction<ContentTables>, id: number): Promise<HttpProxyRow> {
    const proxy = await findHttpProxy(tx, id, 'forUpdate')
    if (proxy === undefined) throw notFound('HTTP proxy', id)
    return proxy
  }

  /** Members are told of their own organizations only. */
  async #view(actor: Actor, proxies: readonly HttpProxyRow[]): Promise<HttpProxyView[]> {
    const { db, access } = this.#parts
    const all = await listProxyOrganizations(
      db,
      proxies.map(({ id }) => id),
    )
    const visible = new Set<number>()
    for (const id of new Set(all.map((organization) => organization.id))) {
      if (await access.canView(actor, id)) visible.add(id)
    }
    return proxies.map((proxy) => ({
      proxy,
      organizations: all.filter((each) => each.proxy_id === proxy.id && visible.has(each.id)),
    }))
  }
}

function checkProxyUrl(text: string): void {
  const url = /^https?:\/\/[^\s/]/i.test(text) && !/\s/.test(text) ? URL.parse(text) : null
  if (url === null || url.hostname === '')
    throw invalidField('url', 'must begin with http:// or https:// and name a host, such as http://proxy.example:3128')
  if (url.username !== '' || url.password !== '')
    throw invalidField('url', 'must not hold a user or a password: set username and password')
}

function refuseUsed(users: readonly { readonly name: string }[], deed: string): void {
  if (users.length === 0) return
  const words = users.slice(0, 20).map(({ name }) => `repository "${name}"`)
  const more = users.length > words.length ? ` and ${users.length - words.length} more` : ''
  throw new AppError('conflict', `Cannot ${deed}: it is used by ${words.join(', ')}${more}`)
}
