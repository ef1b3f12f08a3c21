import { type Kysely, sql } from 'kysely'
import { inBatches } from '../../../../platform/blobs/bounded.ts'
import type { StoredUnit } from '../../../content-type.ts'
import { makePack, type PackageXml, packSize } from '../packs/pack.ts'
import { insertPack } from '../packs/pack-store.ts'
import { evrSortKey, versionSortKey } from '../versions/version-sort-key.ts'
import { renderFilelists, renderOther, renderPrimary } from './package-fragments.ts'
import { fileNameOf, type PackageUnit } from './package-unit.ts'

type Db = Kysely<unknown>
type StoredPackage = StoredUnit<PackageUnit>

/** Adds the rows of packages that are new to the database, with what the package lists say of them. */
export async function savePackages(db: Db, packages: readonly StoredPackage[]): Promise<void> {
  const known = await findKnown(db, packages)
  const fresh = packages.filter(({ id }) => !known.has(id))
  for (const batch of inBatches(fresh, packSize)) {
    const rendered = await Promise.all(batch.map(({ unit }) => render(unit)))
    const packId = await insertPack(db, await makePack(rendered))
    await insertRows(db, packId, batch)
  }
}

async function render({ fields, sha256, files, fragments }: PackageUnit): Promise<PackageXml> {
  const [{ path: href }] = files
  const { primary, filelists, other } = await fragments()
  return {
    primary: renderPrimary(primary, { sha256, href }),
    filelists: renderFilelists(fields, filelists, { sha256 }),
    other: renderOther(fields, other, { sha256 }),
  }
}

async function findKnown(db: Db, packages: readonly StoredPackage[]): Promise<ReadonlySet<number>> {
  const { rows } = await sql<{ unit_id: number }>`
    select unit_id from rpm_units where unit_id = any(${packages.map(({ id }) => id)}::bigint[])`.execute(db)
  return new Set(rows.map(({ unit_id: id }) => id))
}

async function insertRows(db: Db, packId: number, packages: readonly StoredPackage[]): Promise<void> {
  const column = <T>(value: (unit: PackageUnit) => T) => packages.map(({ unit }) => value(unit))
  await sql`
    insert into rpm_units (unit_id, name, epoch, version, release, arch, version_key, release_key, evr_key, filename, sha256,
      summary, source_rpm, size_bytes, build_time, is_modular, pack_id, pack_index)
    select unit_id, name, epoch, version, release, arch, version_key, release_key, evr_key, filename, sha256,
      summary, source_rpm, size_bytes, build_time, is_modular, ${packId}, place - 1
    from unnest(
      ${packages.map(({ id }) => id)}::bigint[], ${column(({ fields }) => fields.name)}::text[],
      ${column(({ fields }) => fields.epoch)}::integer[], ${column(({ fields }) => fields.version)}::text[],
      ${column(({ fields }) => fields.release)}::text[], ${column(({ fields }) => fields.arch)}::text[],
      ${column(({ fields }) => versionSortKey(fields.version))}::text[],
      ${column(({ fields }) => versionSortKey(fields.release))}::text[],
      ${column(({ fields }) => evrSortKey(fields))}::text[], ${column(({ fields }) => fileNameOf(fields))}::text[],
      ${column(({ sha256 }) => sha256)}::text[], ${column(({ fields }) => fields.summary)}::text[],
      ${column(({ fields }) => fields.sourceRpm)}::text[], ${column(({ fields }) => fields.sizeBytes)}::bigint[],
      ${column(({ fields }) => fields.buildTime)}::bigint[], ${column(({ isModular }) => isModular)}::boolean[]
    ) with ordinality as given (unit_id, name, epoch, version, release, arch, version_key, release_key, evr_key, filename,
      sha256, summary, source_rpm, size_bytes, build_time, is_modular, place)`.execute(db)
}
