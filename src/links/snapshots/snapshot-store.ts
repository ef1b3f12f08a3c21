import { type Db, isUniqueViolation } from '../../platform/db/database.ts'
import { AppError } from '../../platform/errors.ts'
import { isUuid } from '../../platform/uuid.ts'
import type { LinksTables, SnapshotRow } from '../tables.ts'

type LinksDb = Db<LinksTables>

export type NewSnapshot = Omit<SnapshotRow, 'created_at'>
/** A snapshot without what it holds. */
export type SnapshotHead = Omit<SnapshotRow, 'topology' | 'node_states'>

const head = ['id', 'project_id', 'name', 'created_at'] as const

/** @throws AppError `conflict` when the project has one of that name */
export async function insertSnapshot(
  db: LinksDb,
  { topology, node_states, ...snapshot }: NewSnapshot,
): Promise<SnapshotHead> {
  try {
    return await db
      .insertInto('snapshots')
      .values({ ...snapshot, topology: JSON.stringify(topology), node_states: JSON.stringify(node_states) })
      .returning(head)
      .executeTakeFirstOrThrow()
  } catch (error) {
    if (!isUniqueViolation(error, 'snapshots_name_key')) throw error
    throw takenName(snapshot.name, error)
  }
}

/** @throws AppError `conflict` when the project has one of that name */
export async function refuseTakenName(db: LinksDb, projectId: string, name: string): Promise<void> {
  const query = db.selectFrom('snapshots').select('id').where('project_id', '=', projectId).where('name', '=', name)
  if ((await query.executeTakeFirst()) !== undefined) throw takenName(name)
}

function takenName(name: string, cause?: unknown): AppError {
  return new AppError('conflict', `Cannot make snapshot "${name}": the name is taken`, { cause })
}

export async function listSnapshots(db: LinksDb, projectId: string): Promise<SnapshotHead[]> {
  return db.selectFrom('snapshots').select(head).where('project_id', '=', projectId).orderBy('created_at').execute()
}

/** @throws AppError `not_found` */
export async function getSnapshot(db: LinksDb, projectId: string, id: string): Promise<SnapshotRow> {
  const query = db.selectFrom('snapshots').selectAll().where('project_id', '=', projectId)
  const snapshot = isUuid(id) ? await query.where('id', '=', id).executeTakeFirst() : undefined
  if (snapshot === undefined) throw new AppError('not_found', `Snapshot ID ${id} doesn't exist`)
  return snapshot
}

export async function deleteSnapshot(db: LinksDb, id: string): Promise<void> {
  await db.deleteFrom('snapshots').where('id', '=', id).execute()
}
