import type { Db } from '../../platform/db/database.ts'
import type { ContentTables } from '../tables.ts'

export interface CredentialUser {
  readonly kind: 'product' | 'repository'
  readonly id: number
  readonly name: string
}

/** The products and repositories that refer to a credential. No column of them does so. */
export async function findCredentialUsers(_db: Db<ContentTables>, _id: number): Promise<CredentialUser[]> {
  return []
}
