import type pg from 'pg'
import { type ForeignKey, quoted, readForeignKeys } from './catalogue.ts'

interface Trigger {
  readonly table: string
  readonly name: string
}

/** What was taken off the tables to load them. */
export interface Loosened {
  readonly foreignKeys: readonly ForeignKey[]
  readonly triggers: readonly Trigger[]
}

/**
 * Takes off foreign keys and triggers until `tighten`, within the transaction: tables may then be loaded in any order,
 * also those that reference each other, and nothing reacts to the rows. The keys are checked as a whole afterwards,
 * which is faster than row by row. The owner of the tables may do this; switching checks off would take a superuser.
 */
export async function loosen(client: pg.Client): Promise<Loosened> {
  const foreignKeys = await readForeignKeys(client)
  const triggers = await readTriggers(client)
  for (const { table, name } of foreignKeys) {
    await client.query(`alter table ${quoted(table)} drop constraint ${quoted(name)}`)
  }
  for (const { table, name } of triggers) {
    await client.query(`alter table ${quoted(table)} disable trigger ${quoted(name)}`)
  }
  return { foreignKeys, triggers }
}

/** Puts everything back. Fails when a row references one that is not there. */
export async function tighten(client: pg.Client, { foreignKeys, triggers }: Loosened): Promise<void> {
  for (const { table, name, definition } of foreignKeys) {
    await client.query(`alter table ${quoted(table)} add constraint ${quoted(name)} ${definition}`)
  }
  for (const { table, name } of triggers) {
    await client.query(`alter table ${quoted(table)} enable trigger ${quoted(name)}`)
  }
}

async function readTriggers(client: pg.Client): Promise<Trigger[]> {
  const { rows } = await client.query<Trigger>(`
    select tables.relname as "table", triggers.tgname as name
    from pg_trigger triggers join pg_class tables on tables.oid = triggers.tgrelid
    where not triggers.tgisinternal and triggers.tgenabled = 'O' and triggers.tgparentid = 0
      and tables.relnamespace = 'public'::regnamespace
    order by tables.relname, triggers.tgname`)
  return rows
}
