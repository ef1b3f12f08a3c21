import type { Db } from '../../platform/db/database.ts'
import type { AttributeValues } from '../content-type.ts'
import { credentialProblems } from '../credentials/credential-references.ts'
import type { ContentTables } from '../tables.ts'

/**
 * What is wrong with the ids that attributes name: there are no proxies. Credentials that are named rightly stay as they
 * are until the transaction ends.
 */
export async function referenceProblems(
  tx: Db<ContentTables>,
  organizationId: number,
  given: AttributeValues,
): Promise<Record<string, string[]>> {
  const problems = await credentialProblems(tx, organizationId, given)
  const namesProxy = given['http_proxy_id'] !== undefined && given['http_proxy_id'] !== null
  return namesProxy ? { ...problems, http_proxy_id: ['is the id of no HTTP proxy'] } : problems
}
