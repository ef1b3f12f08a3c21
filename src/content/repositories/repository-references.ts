import type { Db } from '../../platform/db/database.ts'
import { credentialProblems } from '../credentials/credential-references.ts'
import { proxyProblems } from '../proxies/http-proxy-references.ts'
import type { ContentTables } from '../tables.ts'
import type { AttributeValues } from '../unit-filter.ts'

/**
 * What is wrong with the ids that attributes name. Credentials and proxies that are named rightly stay as they are until
 * the transaction ends.
 */
export async function referenceProblems(
  tx: Db<ContentTables>,
  organizationId: number,
  given: AttributeValues,
): Promise<Record<string, string[]>> {
  return {
    ...(await credentialProblems(tx, organizationId, given)),
    ...(await proxyProblems(tx, organizationId, given)),
  }
}
