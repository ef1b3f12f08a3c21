import type { Db } from '../../platform/db/database.ts'
import { AppError } from '../../platform/errors.ts'
import { isUuid } from '../../platform/uuid.ts'
import type { DrawingRow, LinksTables } from '../tables.ts'

type LinksDb = Db<LinksTables>

export type NewDrawing = Omit<DrawingRow, 'seq'>
export type DrawingChanges = { readonly [K in keyof Omit<NewDrawing, 'id' | 'project_id'>]?: NewDrawing[K] | undefined }

export async function insertDrawing(db: LinksDb, drawing: NewDrawing): Promise<DrawingRow> {
  return db.insertInto('drawings').values(drawing).returningAll().executeTakeFirstOrThrow()
}

/** What is undefined stays as it is. */
export async function updateDrawing(db: LinksDb, id: string, changes: DrawingChanges): Promise<DrawingRow> {
  return db
    .updateTable('drawings')
    .set({ id, ...changes })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** @throws AppError `not_found`, in the words of GNS3 */
export async function getDrawing(db: LinksDb, projectId: string, id: string): Promise<DrawingRow> {
  const query = db.selectFrom('drawings').selectAll().where('project_id', '=', projectId)
  const drawing = isUuid(id) ? await query.where('id', '=', id).executeTakeFirst() : undefined
  if (drawing === undefined) throw new AppError('not_found', `Drawing ID ${id} doesn't exist`)
  return drawing
}

export async function listDrawings(db: LinksDb, projectId: string): Promise<DrawingRow[]> {
  return db.selectFrom('drawings').selectAll().where('project_id', '=', projectId).orderBy('seq').execute()
}

export async function deleteDrawing(db: LinksDb, id: string): Promise<void> {
  await db.deleteFrom('drawings').where('id', '=', id).execute()
}
