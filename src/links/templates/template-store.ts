import type { Db } from '../../platform/db/database.ts'
import type { LinksTables, TemplateRow } from '../tables.ts'

type LinksDb = Db<LinksTables>

export interface NewTemplate {
  readonly id: string
  readonly owner_id: number | null
  readonly name: string
  readonly template_type: string
  readonly looks: Readonly<Record<string, unknown>>
  readonly properties: Readonly<Record<string, unknown>>
}

/** Gives undefined when the id is taken. */
export async function insertTemplate(
  db: LinksDb,
  { looks, properties, ...template }: NewTemplate,
): Promise<TemplateRow | undefined> {
  return db
    .insertInto('templates')
    .values({ ...template, looks: JSON.stringify(looks), properties: JSON.stringify(properties) })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returningAll()
    .executeTakeFirst()
}

export async function updateTemplate(
  db: LinksDb,
  id: string,
  { looks, properties, name }: Pick<NewTemplate, 'looks' | 'properties' | 'name'>,
): Promise<TemplateRow> {
  return db
    .updateTable('templates')
    .set({ name, looks: JSON.stringify(looks), properties: JSON.stringify(properties) })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function listTemplates(db: LinksDb): Promise<TemplateRow[]> {
  return db.selectFrom('templates').selectAll().orderBy('seq').execute()
}

export async function findTemplate(db: LinksDb, id: string): Promise<TemplateRow | undefined> {
  return db.selectFrom('templates').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function deleteTemplate(db: LinksDb, id: string): Promise<void> {
  await db.deleteFrom('templates').where('id', '=', id).execute()
}
