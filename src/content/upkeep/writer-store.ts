import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { ContentTables } from '../tables.ts'

export interface Quiet {
  /** Everything that was touched before it is referenced by now, or never will be for that touch. */
  readonly since: Date
  /** How many tasks and uploads run that may still reference what they touched after it. */
  readonly writers: number
}

/**
 * Finds since when units and bytes may have been touched by somebody who is still to reference them: who writes begins as a
 * running task or as an upload, and touches only afterwards. Tasks of `bystanders` write no bytes.
 */
export async function findQuiet(db: Db<ContentTables>, bystanders: readonly string[]): Promise<Quiet> {
  // now() is read before the statement looks: who begins unseen touches later than that
  const { rows } = await sql<Quiet>`
    select least(now(), min(began)) as since, count(*)::int as writers from (
      select started_at as began from tasks where state = 'running' and kind <> all(${bystanders as string[]}::text[])
      union all
      select created_at from content_uploads where imported_at is null and touched_at > now() - interval '1 hour'
    ) as writers`.execute(db)
  return rows[0] as Quiet
}
