import type { Kysely } from 'kysely'
import type { SecretBox } from '../../platform/auth/secret-box.ts'
import type { Db } from '../../platform/db/database.ts'
import { AppError } from '../../platform/errors.ts'
import type { UpstreamProxy } from '../../platform/fetch/fetch-options.ts'
import type { ContentTables, HttpProxyRow, RootRepositoryRow } from '../tables.ts'
import { findHttpProxies, findHttpProxy, findStoredDefault } from './http-proxy-store.ts'

/** What proxies' passwords are sealed for. */
export const proxyPasswordPurpose = 'http_proxies.password'

type ProxyChoice = Pick<RootRepositoryRow, 'http_proxy_policy' | 'http_proxy_id'>

/** The proxies of a repository, as it shows them. */
export interface ChosenProxies {
  /** The one that it names. */
  readonly selected: HttpProxyRow | undefined
  /** The one that its upstream is asked through. */
  readonly effective: HttpProxyRow | undefined
}

export interface UpstreamProxiesParts {
  readonly db: Kysely<ContentTables>
  readonly secrets: SecretBox
  /** The default for as long as nobody has said another through the API. */
  readonly configuredId: number | undefined
}

/** Which proxy each repository's upstream is asked through. */
export class UpstreamProxies {
  readonly #parts: UpstreamProxiesParts

  constructor(parts: UpstreamProxiesParts) {
    this.#parts = parts
  }

  /** The id of what `global_default_http_proxy` means; null when there is none. */
  async findDefaultId(db: Db<ContentTables> = this.#parts.db): Promise<number | null> {
    const stored = await findStoredDefault(db)
    return stored === undefined ? (this.#parts.configuredId ?? null) : stored
  }

  /** @throws AppError `conflict` rather than going around a proxy that is wanted but not there */
  async findFor(repository: ProxyChoice & { readonly name: string }): Promise<UpstreamProxy | undefined> {
    const { db, secrets } = this.#parts
    const { http_proxy_policy: policy, name: repositoryName } = repository
    const id = effectiveId(repository, await this.findDefaultId())
    if (id === null && policy !== 'use_selected_http_proxy') return undefined
    const proxy = id === null ? undefined : await findHttpProxy(db, id)
    if (proxy === undefined)
      throw new AppError('conflict', `Cannot ask the upstream of "${repositoryName}": its HTTP proxy is not there`)
    const { name, url, username, password_sealed: sealed } = proxy
    const password = sealed === null ? undefined : secrets.open(sealed, proxyPasswordPurpose)
    return { name, url, username: username ?? undefined, password, isTrusted: true }
  }

  /** Gives a look-up for many repositories at once. */
  async findAll(repositories: readonly ProxyChoice[]): Promise<(repository: ProxyChoice) => ChosenProxies> {
    const defaultId = await this.findDefaultId()
    const ids = repositories.flatMap((repository) => [repository.http_proxy_id, effectiveId(repository, defaultId)])
    const proxies = await findHttpProxies(this.#parts.db, ids)
    const get = (id: number | null) => (id === null ? undefined : proxies.get(id))
    return (repository) => ({
      selected: get(repository.http_proxy_id),
      effective: get(effectiveId(repository, defaultId)),
    })
  }
}

function effectiveId({ http_proxy_policy: policy, http_proxy_id: id }: ProxyChoice, defaultId: number | null) {
  if (policy === 'none') return null
  return policy === 'use_selected_http_proxy' ? id : defaultId
}
