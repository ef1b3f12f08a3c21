import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from '../../src/platform/db/database.ts'
import { migrate, platformMigrations } from '../../src/platform/db/migrate.ts'
import type { MigrationSet } from '../../src/platform/db/migration.ts'

const tables = `
create table odd_parents (
  id bigint generated always as identity primary key,
  name text not null,
  favourite_id integer
);
create table odd_children (
  id serial primary key,
  parent_id bigint not null references odd_parents on delete cascade,
  next_id integer references odd_children,
  twice bigint generated always as (id * 2) stored,
  bytes bytea, at timestamptz, ratio double precision, tags text[], document jsonb,
  sha256 text collate "C" references artifacts
);
alter table odd_parents add constraint odd_favourite foreign key (favourite_id) references odd_children;
create table odd_log (note text);
create function odd_note() returns trigger language plpgsql as $$
  begin insert into odd_log values ('a child came'); return null; end $$;
create trigger odd_note after insert on odd_children for each row execute function odd_note();
create table odd_settings (name text primary key, value text);
insert into odd_settings values ('made by', 'a migration');
create sequence odd_numbers start 7 increment 5;
`

/** Migrations with everything that makes a backup hard: circles, computed columns, triggers, rows of their own. */
export async function writeOddMigrations(): Promise<{ readonly folder: string; readonly sets: MigrationSet[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'odd-migrations-'))
  await mkdir(join(folder, 'odd'))
  await writeFile(join(folder, 'odd', '0001-tables.sql'), tables)
  return { folder, sets: [platformMigrations, { name: 'odd', folder: join(folder, 'odd') }] }
}

/** Makes the tables and fills them with values that are easily damaged on the way. */
export async function fillOddDatabase(database: Database, sets: readonly MigrationSet[]): Promise<void> {
  await migrate(database, sets)
  await database.pool.query(String.raw`
    insert into odd_parents (name) values ('Ännchen'), (E'tab\tnew\nline\\. back\\slash'), ('\N'), ('');
    insert into odd_children (parent_id, bytes, at, ratio, tags, document) values
      (1, '\x00ff0a5c', '2022-01-01 00:00:00.123456+05:30', 0.1, '{a,"b c",NULL,"\"\\"}', '{"a": ["\u00e4", null]}'),
      (2, '', 'infinity', 'NaN', '{}', 'null'),
      (3, null, '0044-03-15 12:00:00+00 BC', 1e308, null, null);
    update odd_children set next_id = 4 - id;
    update odd_parents set favourite_id = id where id < 4;
    delete from odd_parents where id = 4;
    update odd_settings set value = 'a person';
    insert into users (login, password_hash, rights) values ('ann', 'x', '{labs.host}');
    select nextval('odd_numbers'), nextval('odd_numbers');`)
}

/** Everything that a restore must bring back, in a form that can be compared. */
export async function fingerprint(database: Database): Promise<Record<string, unknown>> {
  const query = async (text: string) => (await database.pool.query({ text, rowMode: 'array' })).rows
  const found: Record<string, unknown> = {}
  const relations = await query(`select relname::text, relkind::text from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'S') order by relname`)
  for (const [name, kind] of relations) found[name] = await query(kind === 'S' ? nextOf(name) : rowsOf(name))
  found['constraints'] = await query(`select conrelid::regclass::text, conname::text, pg_get_constraintdef(oid)
    from pg_constraint where connamespace = 'public'::regnamespace and contype <> 'n' order by 1, 2`)
  found['triggers'] = await query(
    'select tgname::text, tgenabled::text from pg_trigger where not tgisinternal order by 1',
  )
  return found
}

function rowsOf(table: string): string {
  const columns = table === 'migrations' ? 'set_name, number, name, digest' : '*'
  return `select t::text from (select ${columns} from ${table}) t order by 1`
}

function nextOf(sequence: string): string {
  return `select s.last_value + case when is_called then increment_by else 0 end
    from ${sequence} s join pg_sequences on sequencename = '${sequence}'`
}
