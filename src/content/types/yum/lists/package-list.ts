import { type RawBuilder, sql } from 'kysely'
import type { SearchField } from '../../../../platform/search/search-fields.ts'
import type { UnitList } from '../../../content-type.ts'
import { describePackage } from '../packages/package-record.ts'
import { parseEvr } from '../versions/parse-evr.ts'
import { evrSortKey, versionSortKey } from '../versions/version-sort-key.ts'

const column = (name: string) => sql.ref(`unit.${name}`)

function text(name: string, expression: RawBuilder<unknown> = column(name)): SearchField {
  return { names: [name], type: 'string', expression }
}

/** Text that is ordered as rpm orders versions. */
function version(name: string, key: string, keyOf: (value: string) => string): SearchField {
  const rank = { expression: column(key), of: (value: string) => sql`${keyOf(value)}::text` }
  return { ...text(name), rank }
}

const evr = sql`unit.epoch || ':' || unit.version || '-' || unit.release`

const fields: readonly SearchField[] = [
  text('name'),
  version('version', 'version_key', versionSortKey),
  version('release', 'release_key', versionSortKey),
  text('arch'),
  { names: ['epoch'], type: 'integer', expression: column('epoch'), isExplicitOnly: true },
  { ...version('evr', 'evr_key', (value) => evrSortKey(parseEvr(value))), expression: evr },
  text('filename'),
  text('sourcerpm', column('source_rpm')),
  { names: ['checksum'], type: 'string', expression: column('sha256') },
  { names: ['modular'], type: 'boolean', expression: column('is_modular'), isExplicitOnly: true },
  { names: ['summary'], type: 'string', expression: column('summary'), isExplicitOnly: true },
]

const common = {
  fields,
  describe: describePackage,
  order: { by: 'name', direction: 'asc' },
  ownId: column('sha256'),
} as const

/** The packages of repositories by themselves. */
export const packageList: UnitList = { ...common, path: 'packages', table: 'rpm_packages', present: presentPackage }

/** The same for source packages. */
export const sourceList: UnitList = { ...common, path: 'srpms', table: 'rpm_sources', present: presentSource }

type Row = Readonly<Record<string, unknown>>

function presentPackage(row: Row): object {
  return {
    ...presentSource(row),
    modular: row['is_modular'],
    sourcerpm: row['source_rpm'],
    nvrea: `${row['epoch'] === 0 ? '' : `${row['epoch']}:`}${nvraOf(row)}`,
    hosts_available_count: 0,
    hosts_applicable_count: 0,
  }
}

function presentSource(row: Row): object {
  const { name, version: number, release, arch, epoch, summary, filename, sha256 } = row
  return {
    name,
    filename,
    version: number,
    release,
    arch,
    epoch: String(epoch),
    summary,
    checksum: sha256,
    nvra: nvraOf(row),
  }
}

function nvraOf({ name, version: number, release, arch }: Row): string {
  return `${name}-${number}-${release}.${arch}`
}
