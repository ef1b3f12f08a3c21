import { type Kysely, type RawBuilder, sql } from 'kysely'
import { AppError } from '../errors.ts'

interface Reference {
  readonly table: string
  readonly column: string
  readonly name: string
  readonly changesRows: boolean
}

/**
 * The condition that nothing references artifact `a`. It covers every foreign key that points to the table, found in
 * the catalogue, so that no part of the program can forget to say what it needs.
 *
 * @throws AppError `internal` when a foreign key deletes or changes rows by itself: a race would then go unnoticed
 */
export async function readUnreferenced(db: Kysely<unknown>): Promise<RawBuilder<unknown>> {
  const { rows: references } = await sql<Reference>`
    select format('%I.%I', spaces.nspname, tables.relname) as "table", quote_ident(columns.attname) as "column",
      keys.conname as name, keys.confdeltype not in ('a', 'r') as "changesRows"
    from pg_constraint keys
    join pg_class tables on tables.oid = keys.conrelid
    join pg_namespace spaces on spaces.oid = tables.relnamespace
    join pg_attribute columns on columns.attrelid = keys.conrelid and columns.attnum = keys.conkey[1]
    where keys.contype = 'f' and keys.confrelid = 'artifacts'::regclass and keys.conparentid = 0`.execute(db)
  const wrong = references.find(({ changesRows }) => changesRows)
  if (wrong !== undefined) {
    throw new AppError('internal', `Cannot remove artifacts: foreign key "${wrong.name}" would change ${wrong.table}`)
  }
  const conditions = references.map(
    ({ table, column }) => sql`not exists (select from ${sql.raw(`${table} r where r.${column}`)} = a.sha256)`,
  )
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `)
}
