import type pg from 'pg'
import type { Sequences } from './manifest.ts'

/** The table that `migrate` keeps; it is part of the manifest, not of the tables. */
const migrationsTable = 'migrations'

export interface Table {
  readonly name: string
  /** Those that hold data of their own: computed ones are left out. */
  readonly columns: readonly string[]
}

export interface ForeignKey {
  readonly table: string
  readonly name: string
  readonly target: string
  readonly definition: string
}

/** Quotes a name for SQL. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/**
 * Makes a session of a server's owner independent of how the server is configured: text forms are the ones that any
 * version reads back, and no timeout ends what takes long.
 */
export async function prepareSession(client: pg.Client): Promise<void> {
  await client.query(`
    set search_path = public;
    set client_encoding = 'UTF8';
    set datestyle = 'ISO, YMD';
    set intervalstyle = 'postgres';
    set timezone = 'UTC';
    set extra_float_digits = 1;
    set bytea_output = 'hex';
    set default_transaction_isolation = 'read committed';
    select set_config(name, '0', false) from pg_settings
    where name in ('statement_timeout', 'lock_timeout', 'transaction_timeout',
      'idle_in_transaction_session_timeout', 'idle_session_timeout')`)
}

/** Every table of the schema `public`, those before others that these reference. */
export async function readTables(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `select tables.relname as name,
      coalesce(array_agg(columns.attname::text order by columns.attnum) filter (where columns.attgenerated = ''), '{}')
        as columns
    from pg_class tables
    left join pg_attribute columns
      on columns.attrelid = tables.oid and columns.attnum > 0 and not columns.attisdropped
    where tables.relnamespace = 'public'::regnamespace and tables.relkind = 'r' and tables.relname <> $1
    group by tables.relname order by tables.relname`,
    [migrationsTable],
  )
  return inReferenceOrder(rows, await readForeignKeys(client))
}

export async function readForeignKeys(client: pg.Client): Promise<ForeignKey[]> {
  const { rows } = await client.query<ForeignKey>(`
    select tables.relname as "table", keys.conname as name, targets.relname as target,
      pg_get_constraintdef(keys.oid) as definition
    from pg_constraint keys
    join pg_class tables on tables.oid = keys.conrelid
    join pg_class targets on targets.oid = keys.confrelid
    where keys.contype = 'f' and keys.conparentid = 0 and keys.connamespace = 'public'::regnamespace
    order by tables.relname, keys.conname`)
  return rows
}

/** Where each sequence of the schema `public` goes on, also those of identity columns. */
export async function readSequences(client: pg.Client): Promise<Sequences> {
  const { rows } = await client.query<{ name: string; step: string }>(`
    select relname as name, seqincrement::text as step
    from pg_class join pg_sequence on seqrelid = pg_class.oid
    where relnamespace = 'public'::regnamespace order by relname`)
  const sequences: Sequences = []
  for (const { name, step } of rows) {
    const next = `select (last_value + case when is_called then $1::bigint else 0 end)::text as next from ${quoted(name)}`
    const { rows: found } = await client.query<{ next: string }>(next, [step])
    for (const { next } of found) sequences.push({ name, next })
  }
  return sequences
}

/** Circles of references are cut at any place: the order helps who reads a backup, a restore does not rely on it. */
function inReferenceOrder(tables: readonly Table[], keys: readonly ForeignKey[]): Table[] {
  const ordered = new Map<string, Table>()
  const begun = new Set<string>()
  const visit = (table: Table): void => {
    if (begun.has(table.name)) return
    begun.add(table.name)
    const targets = new Set(keys.filter((key) => key.table === table.name).map(({ target }) => target))
    for (const target of tables) if (targets.has(target.name)) visit(target)
    ordered.set(table.name, table)
  }
  for (const table of tables) visit(table)
  return [...ordered.values()]
}
