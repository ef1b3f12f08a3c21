import type { Database } from '../platform/db/database.ts'
import type { MigrationSet } from '../platform/db/migrate.ts'
import type { Route } from '../platform/http/endpoint.ts'
import type { Logger } from '../platform/log.ts'

export const linksMigrations: readonly MigrationSet[] = []

export interface Links extends AsyncDisposable {
  readonly routes: readonly Route[]
}

export async function openLinks(_parts: {
  database: Database
  logger: Logger
  folder: string
  runsNodes: boolean
}): Promise<Links> {
  return { routes: [], [Symbol.asyncDispose]: async () => undefined }
}
