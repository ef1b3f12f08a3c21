import { type Kysely, sql } from 'kysely'
import { inBatches } from '../../../../platform/blobs/bounded.ts'
import { storableJson } from '../../../../platform/db/storable.ts'
import type { StoredUnit } from '../../../content-type.ts'
import type { Advisory, AdvisoryPackage } from '../metadata/read-updateinfo.ts'
import type { AdvisoryUnit } from './advisory-unit.ts'
import { mergeAdvisories } from './merge-advisories.ts'
import { momentOf } from './moment.ts'

type Db = Kysely<unknown>

/** Adds the rows of advisories that are new to the database. */
export async function saveAdvisories(db: Db, units: readonly StoredUnit<AdvisoryUnit>[]): Promise<void> {
  const rows = units.map(({ id, unit }) => ({ unit_id: id, ...rowOf(unit.advisory) }))
  await sql`
    insert into erratum_units
    select given.* from jsonb_populate_recordset(null::erratum_units, ${storableJson(rows)}::jsonb) as given
    on conflict (unit_id) do nothing`.execute(db)
}

function rowOf(advisory: Advisory): object {
  const { id, title, type, severity, status, version, release, issued, updated } = advisory
  return {
    errata_id: id,
    title,
    type,
    severity,
    status,
    version,
    release,
    issued,
    updated,
    issued_at: momentOf(issued)?.toISOString() ?? null,
    updated_at: momentOf(updated)?.toISOString() ?? null,
    summary: advisory.summary,
    description: advisory.description,
    solution: advisory.solution,
    reboot_suggested: advisory.isRebootSuggested,
    refers_to: advisory.references,
    packages: advisory.collections.flatMap(({ module, packages }) =>
      packages.map((each) => ({ name: each.name, nevra: nevraOf(each), ...(module === undefined ? {} : { module }) })),
    ),
    source: advisory.source,
  }
}

function nevraOf({ name, epoch, version, release, arch }: AdvisoryPackage): string {
  return `${name}-${epoch === 0 ? '' : `${epoch}:`}${version}-${release}.${arch}`
}

const pageSize = 500

/** The elements of the advisories of a set version, page by page in the order of their ids; those of one id are one. */
export async function* listAdvisorySources(
  db: Db,
  { setId, version }: { readonly setId: number; readonly version: number },
): AsyncGenerator<readonly string[]> {
  const { rows } = await sql<{ unitIds: number[] }>`
    select json_agg(e.unit_id order by coalesce(e.updated_at, e.issued_at) desc nulls last, e.unit_id desc) as "unitIds"
    from content_set_units m join erratum_units e on e.unit_id = m.unit_id
    where m.set_id = ${setId} and m.added_in <= ${version} and (m.removed_in is null or m.removed_in > ${version})
    group by e.errata_id order by e.errata_id`.execute(db)
  for (const page of inBatches(rows, pageSize)) {
    const sources = await findSources(
      db,
      page.flatMap(({ unitIds }) => unitIds),
    )
    yield await Promise.all(page.map(({ unitIds }) => mergeAdvisories(unitIds.flatMap((id) => sources.get(id) ?? []))))
  }
}

async function findSources(db: Db, unitIds: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const { rows } = await sql<{ unit_id: number; source: string }>`
    select unit_id, source from erratum_units where unit_id = any(${unitIds as number[]}::bigint[])`.execute(db)
  return new Map(rows.map(({ unit_id, source }) => [unit_id, source]))
}
