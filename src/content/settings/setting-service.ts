import { type Kysely, sql } from 'kysely'
import { type Actor, requireRight } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/database.ts'
import { invalidField, notFound } from '../../platform/errors.ts'
import type { Listed, ListRequest } from '../../platform/search/list-request.ts'
import { listRows } from '../../platform/search/list-rows.ts'
import { findHttpProxies, findHttpProxy, findHttpProxyByName, saveDefault } from '../proxies/http-proxy-store.ts'
import type { UpstreamProxies } from '../proxies/upstream-proxies.ts'
import type { ContentTables, HttpProxyRow } from '../tables.ts'
import { settingNames } from './setting-contract.ts'
import { settingSearch } from './setting-search.ts'

export interface Setting {
  readonly name: string
  readonly value: string
}

const [defaultProxy] = settingNames

/** What administrators can set while the server runs. So far that is one thing: the default HTTP proxy. */
export class SettingService {
  readonly #db: Kysely<ContentTables>
  readonly #proxies: UpstreamProxies

  constructor({ db, proxies }: { readonly db: Kysely<ContentTables>; readonly proxies: UpstreamProxies }) {
    this.#db = db
    this.#proxies = proxies
  }

  async listSettings(actor: Actor, request: ListRequest): Promise<Listed<Setting>> {
    requireRight(actor, 'admin')
    const { name, value } = await this.#defaultProxy()
    const settings = sql<Setting>`(select ${name}::text as name, ${value}::text as value)`.as('settings')
    return listRows(this.#db.selectFrom(settings).selectAll(), settingSearch, request)
  }

  async getSetting(actor: Actor, name: string): Promise<Setting> {
    requireRight(actor, 'admin')
    if (name !== defaultProxy) throw notFound('setting', name)
    return this.#defaultProxy()
  }

  /** @throws AppError `invalid` when the value names no HTTP proxy */
  async updateSetting(actor: Actor, name: string, value: string | number | null): Promise<Setting> {
    await this.getSetting(actor, name)
    await this.#db.transaction().execute(async (tx) => {
      const proxy = value === null || value === '' ? null : await findNamed(tx, value)
      if (proxy === undefined) throw invalidField('value', 'must be the name or the id of an HTTP proxy, or empty')
      await saveDefault(tx, proxy?.id ?? null)
    })
    return this.#defaultProxy()
  }

  async #defaultProxy(): Promise<Setting> {
    const id = await this.#proxies.findDefaultId()
    const found = await findHttpProxies(this.#db, [id])
    return { name: defaultProxy, value: found.get(id ?? 0)?.name ?? '' }
  }
}

/** The proxy of that name, else of that id; it is not deleted until the transaction ends. */
async function findNamed(tx: Db<ContentTables>, value: string | number): Promise<HttpProxyRow | undefined> {
  const id = /^\d{1,15}$/.test(String(value)) ? Number(value) : 0
  const named = typeof value === 'string' ? await findHttpProxyByName(tx, value) : undefined
  return findHttpProxy(tx, named?.id ?? id, 'forShare')
}
