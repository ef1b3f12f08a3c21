import type { BlobStore } from '../blobs/blob-store.ts'
import type { Database } from '../db/database.ts'
import { foremanVersion, katelloVersion } from '../http/compatible-release.ts'
import { type Route, route } from '../http/endpoint.ts'
import { timestamp } from '../http/timestamps.ts'
import { type AllChecked, type Checked, sharedChecks } from './checks.ts'
import { statusEndpoints as endpoints } from './status-contract.ts'

export interface StatusParts {
  readonly database: Database
  readonly store: BlobStore
  readonly now: () => number
  readonly version: string
}

/** What anyone may know of the server, in the words of Foreman and Katello. */
export function statusRoutes({ database, store, now, version }: StatusParts): Route[] {
  const checkAll = sharedChecks(database, store)
  return [
    route(endpoints.status, () => ({ result: 'ok', status: 200, version: foremanVersion, api_version: 2 })),
    route(endpoints.ping, async () => {
      const checked = await checkAll()
      const { works, durationMs } = checked.database
      const foreman = { database: { active: works, duration_ms: String(durationMs) } }
      return { results: { foreman, katello: presentServices(checked) } }
    }),
    route(endpoints.contentPing, async () => presentServices(await checkAll())),
    route(endpoints.contentStatus, () => ({
      release: `Backhaul ${version}`,
      version: katelloVersion,
      timeUTC: timestamp(new Date(now())),
    })),
  ]
}

function presentServices({ database, storage }: AllChecked): object {
  return {
    status: database.works && storage.works ? 'ok' : 'FAIL',
    services: {
      database: presentService(database, 'The database does not answer'),
      storage: presentService(storage, 'Bytes cannot be stored'),
    },
  }
}

function presentService({ works, durationMs }: Checked, failure: string): object {
  const duration_ms = String(durationMs)
  return works ? { status: 'ok', duration_ms } : { status: 'FAIL', duration_ms, message: failure }
}
