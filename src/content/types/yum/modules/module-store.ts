import { type Kysely, sql } from 'kysely'
import { storableJson } from '../../../../platform/db/storable.ts'
import type { StoredUnit } from '../../../content-type.ts'
import type { ModuleDocument } from '../metadata/read-modules.ts'
import type { ModuleUnit } from './module-unit.ts'

type Db = Kysely<unknown>

/** Adds the rows of documents about modules that are new to the database. */
export async function saveModules(db: Db, units: readonly StoredUnit<ModuleUnit>[]): Promise<void> {
  const rows = units.map(({ id, unit }) => ({ unit_id: id, ...rowOf(unit.document) }))
  await sql`
    insert into module_units
    select given.* from jsonb_populate_recordset(null::module_units, ${storableJson(rows)}::jsonb) as given
    on conflict (unit_id) do nothing`.execute(db)
}

const nothing = {
  name: '',
  stream: '',
  version: '',
  context: '',
  arch: '',
  summary: '',
  description: '',
  artifacts: [],
  profiles: [],
}

function rowOf(document: ModuleDocument): object {
  const { kind, source } = document
  if (kind !== 'stream') return { ...nothing, document: kind, source }
  const { name, stream, version, context, arch, summary, description, artifacts, profiles } = document
  const described = { name, stream, version, context, arch, summary, description, artifacts, profiles }
  return { ...described, document: kind, source }
}

/** The documents that a set version holds, streams first. */
export async function listModuleSources(
  db: Db,
  { setId, version }: { readonly setId: number; readonly version: number },
): Promise<string[]> {
  const { rows } = await sql<{ source: string }>`
    select d.source from content_set_units m join module_units d on d.unit_id = m.unit_id
    where m.set_id = ${setId} and m.added_in <= ${version} and (m.removed_in is null or m.removed_in > ${version})
    order by d.document <> 'stream', d.name, d.stream, d.version, d.unit_id`.execute(db)
  return rows.map(({ source }) => source)
}
