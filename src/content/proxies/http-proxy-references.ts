import type { Db } from '../../platform/db/database.ts'
import type { ContentTables } from '../tables.ts'
import { findHttpProxy, findVisibleProxy } from './http-proxy-store.ts'

/**
 * What is wrong with the proxy that a repository is to name. One that is right stays so until the transaction ends: until
 * then it is neither deleted nor taken from the organization.
 */
export async function proxyProblems(
  tx: Db<ContentTables>,
  organizationId: number,
  { http_proxy_id: id }: Readonly<Record<string, unknown>>,
): Promise<Record<string, string[]>> {
  if (typeof id !== 'number') return {}
  await findHttpProxy(tx, id, 'forShare')
  const usable = await findVisibleProxy(tx, { id, organizationId })
  return usable === undefined ? { http_proxy_id: ['is the id of no HTTP proxy that the organization may use'] } : {}
}
