import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { ContentTables } from '../tables.ts'
import type { CredentialUse } from './credential-references.ts'

/** A product or a repository that refers to a credential. */
export interface CredentialUser {
  readonly credentialId: number
  readonly attribute: CredentialUse['attribute']
  readonly kind: 'product' | 'repository'
  readonly id: number
  readonly name: string
}

/** The products and repositories that refer to any of these credentials, by name. */
export async function findCredentialUsers(
  db: Db<ContentTables>,
  credentialIds: readonly number[],
): Promise<CredentialUser[]> {
  if (credentialIds.length === 0) return []
  const ids = sql`${credentialIds as number[]}::bigint[]`
  const { rows } = await sql<CredentialUser>`
    select used.id as "credentialId", used.attribute, 'product' as kind, owner.id, owner.name
    from products owner ${usesOf(ids)}
    union all
    select used.id, used.attribute, 'repository',
      (select min(r.id) from repositories r where r.root_id = owner.id), owner.name
    from root_repositories owner ${usesOf(ids)}
    order by kind, name, id`.execute(db)
  return rows
}

/** The credentials that each row of `owner` refers to, as far as they are among these. */
function usesOf(ids: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    cross join lateral (values
      ('gpg_key_id', owner.gpg_key_id), ('ssl_ca_cert_id', owner.ssl_ca_cert_id),
      ('ssl_client_cert_id', owner.ssl_client_cert_id), ('ssl_client_key_id', owner.ssl_client_key_id)
    ) as used (attribute, id)
    where used.id = any(${ids}) and (owner.gpg_key_id = any(${ids}) or owner.ssl_ca_cert_id = any(${ids})
      or owner.ssl_client_cert_id = any(${ids}) or owner.ssl_client_key_id = any(${ids}))`
}
