import type { Db } from '../../platform/db/database.ts'
import type { ContentTables } from '../tables.ts'
import type { ViewRow } from '../view-tables.ts'

type ContentDb = Db<ContentTables>

export async function findView(db: ContentDb, id: number): Promise<ViewRow | undefined> {
  return db.selectFrom('content_views').selectAll().where('id', '=', id).executeTakeFirst()
}
