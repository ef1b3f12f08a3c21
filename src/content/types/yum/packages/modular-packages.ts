import { type Kysely, sql } from 'kysely'
import { parseEvr } from '../versions/parse-evr.ts'
import { evrSortKey } from '../versions/version-sort-key.ts'

/**
 * Notes that packages, named as `name-epoch:version-release.arch`, belong to modules; those that are not known are passed over.
 * Modules may come to a repository later than their packages.
 */
export async function markModular(db: Kysely<unknown>, artifacts: readonly string[]): Promise<void> {
  const packages = artifacts.flatMap((artifact) => parseArtifact(artifact) ?? [])
  const column = <T>(value: (artifact: Artifact) => T) => packages.map(value)
  // in one order, or two syncs of the same modules would wait for each other's rows in a circle
  await sql`
    update rpm_units set is_modular = true where unit_id in (
      select r.unit_id from rpm_units r join unnest(
        ${column(({ name }) => name)}::text[], ${column(({ arch }) => arch)}::text[], ${column(({ key }) => key)}::text[],
        ${column(({ version }) => version)}::text[], ${column(({ release }) => release)}::text[]
      ) as given (name, arch, evr_key, version, release) using (name, arch, evr_key, version, release)
      where not r.is_modular order by r.unit_id for update of r)`.execute(db)
}

interface Artifact {
  readonly name: string
  readonly version: string
  readonly release: string
  readonly arch: string
  readonly key: string
}

function parseArtifact(text: string): Artifact | undefined {
  const [, name = '', evr, arch = ''] = /^(.+)-(\d+:[^-]+-[^-]+)\.([^.-]+)$/.exec(text) ?? []
  if (evr === undefined) return undefined
  const parsed = parseEvr(evr)
  return { name, arch, version: parsed.version, release: parsed.release, key: evrSortKey(parsed) }
}
