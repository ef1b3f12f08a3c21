import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { ContentTables } from '../tables.ts'
import { insertVersion, lockLatestVersion } from './content-set-store.ts'

type ContentDb = Db<ContentTables>

/** Which of these units of a kind the latest version of a set holds. */
export async function findPresentUnits(
  db: ContentDb,
  setId: number,
  { ids, kind }: { readonly ids: readonly number[]; readonly kind: string },
): Promise<Set<number>> {
  const { rows } = await sql<{ id: number }>`
    select u.id from content_set_units m join units u on u.id = m.unit_id
    where m.set_id = ${setId} and m.removed_in is null and u.kind = ${kind} and u.id = any(${ids as number[]}::bigint[])`.execute(
    db,
  )
  return new Set(rows.map(({ id }) => id))
}

/** Makes the next version of a set without these units; without any of them in it, there is no new version. */
export async function removeUnits(
  tx: ContentDb,
  setId: number,
  ids: readonly number[],
): Promise<{ version: number; removed: number }> {
  const latest = await lockLatestVersion(tx, setId)
  const next = latest + 1
  const result = await sql`
    update content_set_units set removed_in = ${next}
    where set_id = ${setId} and removed_in is null and unit_id = any(${ids as number[]}::bigint[])`.execute(tx)
  const removed = Number(result.numAffectedRows ?? 0)
  if (removed === 0) return { version: latest, removed }
  await tx.updateTable('content_sets').set({ latest_version: next }).where('id', '=', setId).execute()
  await insertVersion(tx, { setId, version: next })
  return { version: next, removed }
}
