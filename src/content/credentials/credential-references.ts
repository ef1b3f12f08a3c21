import type { Db } from '../../platform/db/database.ts'
import type { ContentTables, CredentialKind } from '../tables.ts'
import { lockCredentials } from './credential-store.ts'

/** What products and repositories use a credential for. */
export interface CredentialUse {
  readonly attribute: 'gpg_key_id' | 'ssl_ca_cert_id' | 'ssl_client_cert_id' | 'ssl_client_key_id'
  readonly kind: CredentialKind
  /** The keys under which a credential shows who uses it so. */
  readonly products: string
  readonly repositories: string
}

export const credentialUses: readonly CredentialUse[] = [
  { attribute: 'gpg_key_id', kind: 'gpg_key', products: 'gpg_key_products', repositories: 'gpg_key_repos' },
  { attribute: 'ssl_ca_cert_id', kind: 'cert', products: 'ssl_ca_products', repositories: 'ssl_ca_root_repos' },
  {
    attribute: 'ssl_client_cert_id',
    kind: 'cert',
    products: 'ssl_client_products',
    repositories: 'ssl_client_root_repos',
  },
  { attribute: 'ssl_client_key_id', kind: 'cert', products: 'ssl_key_products', repositories: 'ssl_key_root_repos' },
]

/** The ids of the credentials that a product or a repository uses. */
export type CredentialIds = Readonly<Record<CredentialUse['attribute'], number | null>>

export function credentialIdsOf(row: CredentialIds): CredentialIds {
  return {
    gpg_key_id: row.gpg_key_id,
    ssl_ca_cert_id: row.ssl_ca_cert_id,
    ssl_client_cert_id: row.ssl_client_cert_id,
    ssl_client_key_id: row.ssl_client_key_id,
  }
}

/**
 * What is wrong with the ids that attributes name. What is right stays so until the transaction ends: until then these
 * credentials are neither changed nor deleted.
 */
export async function credentialProblems(
  tx: Db<ContentTables>,
  organizationId: number,
  given: Readonly<Record<string, unknown>>,
): Promise<Record<string, string[]>> {
  const named = credentialUses.filter(({ attribute }) => typeof given[attribute] === 'number')
  const ids = named.map(({ attribute }) => given[attribute] as number)
  const kinds = await lockCredentials(tx, organizationId, ids)
  const problems = named.flatMap(({ attribute, kind }) => {
    const found = kinds.get(given[attribute] as number)
    if (found === kind) return []
    if (found === undefined) return [[attribute, ['is the id of no content credential of the organization']]]
    return [[attribute, [`must be a content credential of type ${kind}: this one is of type ${found}`]]]
  })
  return Object.fromEntries(problems)
}
