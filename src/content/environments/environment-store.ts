import type { Db } from '../../platform/db/database.ts'
import type { ContentTables } from '../tables.ts'
import type { EnvironmentRow } from '../view-tables.ts'

type ContentDb = Db<ContentTables>

export async function findEnvironment(db: ContentDb, id: number): Promise<EnvironmentRow | undefined> {
  return db.selectFrom('environments').selectAll().where('id', '=', id).executeTakeFirst()
}
