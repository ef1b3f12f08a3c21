import { timestamp } from '../../platform/http/timestamps.ts'
import { agoInWords } from '../ago-in-words.ts'
import { credentialIdsOf } from '../credentials/credential-references.ts'
import type { ProductDetails, ProductView } from './product-service.ts'
import type { LastSyncs } from './product-store.ts'

/** The record of lists. */
export function presentProduct(
  { product, organization, repositoryCount, lastSyncs }: ProductView,
  now: number,
): object {
  const { id, name, label, description, organization_id, created_at, updated_at } = product
  const lastEnd = latest(lastSyncs.map(({ ended_at }) => ended_at))
  return {
    id,
    cp_id: String(id),
    name,
    label,
    description,
    provider_id: id,
    organization_id,
    organization: { id: organization.id, name: organization.name, label: organization.label },
    repository_count: repositoryCount,
    ...credentialIdsOf(product),
    sync_plan_id: null,
    sync_plan: null,
    sync_state: syncState(lastSyncs),
    sync_summary: summary(lastSyncs),
    last_sync: timestamp(lastEnd),
    last_sync_words: lastEnd === null ? null : agoInWords(now - lastEnd.getTime()),
    created_at: timestamp(created_at),
    updated_at: timestamp(updated_at),
  }
}

/** The record of single products. */
export function presentProductInFull(details: ProductDetails, now: number): object {
  const { product, credentialNames, repositories, permissions } = details
  const named = (id: number | null) => ({ id, name: id === null ? null : (credentialNames.get(id) ?? null) })
  return {
    ...presentProduct(details, now),
    redhat: false,
    gpg_key: product.gpg_key_id === null ? null : named(product.gpg_key_id),
    ssl_ca_cert: named(product.ssl_ca_cert_id),
    ssl_client_cert: named(product.ssl_client_cert_id),
    ssl_client_key: named(product.ssl_client_key_id),
    repositories,
    permissions,
    sync_status: syncStatus(details.lastSyncs),
  }
}

/** The state that says most of what is to be done, out of the last syncs of all repositories. */
function syncState(syncs: readonly LastSyncs[]): string | null {
  const order = ['pending', 'error', 'cancelled', 'warning', 'success']
  return order.find((result) => syncs.some((sync) => sync.result === result)) ?? null
}

/** How many of the last syncs have each result. */
function summary(syncs: readonly LastSyncs[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { result, count } of syncs) counts[result] = (counts[result] ?? 0) + count
  return counts
}

function syncStatus(syncs: readonly LastSyncs[]): object {
  const isRunning = syncs.some(({ state }) => state === 'running')
  const finished = syncs.every(({ ended_at }) => ended_at !== null)
  const count = syncs.reduce((total, group) => total + group.count, 0)
  const progress = syncs.reduce((total, group) => total + group.progress, 0)
  return {
    state: syncState(syncs),
    is_running: isRunning,
    progress: count === 0 ? 0 : Math.floor((progress / count) * 100) / 100,
    start_time: timestamp(latest(syncs.map(({ started_at }) => started_at))),
    finish_time: finished ? timestamp(latest(syncs.map(({ ended_at }) => ended_at))) : null,
  }
}

function latest(dates: readonly (Date | null)[]): Date | null {
  const known = dates.filter((date) => date !== null)
  return known.length === 0 ? null : new Date(Math.max(...known.map((date) => date.getTime())))
}
