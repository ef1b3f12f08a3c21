import { type Kysely, sql } from 'kysely'
import type { Frame, ListName, Pack } from './pack.ts'

type Db = Kysely<unknown>

/** Stores a pack and gives its id. */
export async function insertPack(db: Db, { primary, filelists, other }: Pack): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into rpm_packs (package_count, primary_frame, primary_lengths, filelists_frame, filelists_lengths,
      other_frame, other_lengths)
    values (${primary.lengths.length}, ${primary.bytes}, ${primary.lengths}, ${filelists.bytes}, ${filelists.lengths},
      ${other.bytes}, ${other.lengths})
    returning id`.execute(db)
  return (rows[0] as { id: number }).id
}

/** The frame of a pack in one of the lists. */
export async function findFrame(db: Db, packId: number, list: ListName): Promise<Frame | undefined> {
  const { rows } = await sql<Frame>`
    select ${sql.ref(`${list}_frame`)} as bytes, ${sql.ref(`${list}_lengths`)} as lengths
    from rpm_packs where id = ${packId}`.execute(db)
  return rows[0]
}

/** The packages of one pack that a set version holds. */
export interface PackUse {
  readonly packId: number
  /** How many packages there are in the pack. */
  readonly packageCount: number
  /** Those of them that are wanted, in order. */
  readonly indexes: readonly number[]
}

/** The packs of a version of a set, the oldest first. */
export async function listPackUses(
  db: Db,
  { setId, version }: { readonly setId: number; readonly version: number },
): Promise<PackUse[]> {
  const { rows } = await sql<PackUse>`
    select p.id as "packId", p.package_count as "packageCount", used.indexes from (
      select r.pack_id, array_agg(r.pack_index order by r.pack_index) as indexes
      from content_set_units m join rpm_units r on r.unit_id = m.unit_id
      where m.set_id = ${setId} and m.added_in <= ${version} and (m.removed_in is null or m.removed_in > ${version})
      group by r.pack_id
    ) as used join rpm_packs p on p.id = used.pack_id order by p.id`.execute(db)
  return rows
}

/** A package and where it is. */
export interface PackedPackage {
  readonly unitId: number
  readonly packId: number
  readonly index: number
  /** Of its text in all lists. */
  readonly sizeBytes: number
}

/** All packages in these packs, whoever holds them, pack by pack. */
export async function listPackages(db: Db, packIds: readonly number[]): Promise<PackedPackage[]> {
  const { rows } = await sql<PackedPackage>`
    select r.unit_id as "unitId", r.pack_id as "packId", r.pack_index as index,
      p.primary_lengths[r.pack_index + 1] + p.filelists_lengths[r.pack_index + 1] + p.other_lengths[r.pack_index + 1]
        as "sizeBytes"
    from rpm_units r join rpm_packs p on p.id = r.pack_id
    where r.pack_id = any(${packIds as number[]}::bigint[]) order by r.pack_id, r.pack_index`.execute(db)
  return rows
}

/**
 * Says that packages are in another pack now, in this order. Their former packs stay for an hour for those who are reading
 * them. Packages that were moved or deleted meanwhile stay as they are.
 */
export async function movePackages(db: Db, packId: number, packages: readonly PackedPackage[]): Promise<void> {
  const formerIds = [...new Set(packages.map((each) => each.packId))]
  await sql`
    update rpm_units r set pack_id = ${packId}, pack_index = moved.place - 1
    from unnest(${packages.map(({ unitId }) => unitId)}::bigint[], ${packages.map((each) => each.packId)}::bigint[])
      with ordinality as moved (unit_id, pack_id, place)
    where r.unit_id = moved.unit_id and r.pack_id = moved.pack_id`.execute(db)
  await sql`
    update rpm_packs p set unused_since = now() where p.id = any(${formerIds}::bigint[])
      and not exists (select 1 from rpm_units r where r.pack_id = p.id)`.execute(db)
  await sql`
    delete from rpm_packs p where p.unused_since < now() - interval '1 hour'
      and not exists (select 1 from rpm_units r where r.pack_id = p.id)`.execute(db)
}
