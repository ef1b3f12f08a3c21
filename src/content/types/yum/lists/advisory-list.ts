import { sql } from 'kysely'
import type { SearchField } from '../../../../platform/search/search-fields.ts'
import type { UnitList } from '../../../content-type.ts'

const column = (name: string) => sql.ref(`unit.${name}`)

function text(name: string, from = name): SearchField {
  return { names: [name], type: 'string', expression: column(from) }
}

function some(names: SearchField['names'], from: 'refers_to' | 'packages', key: string): SearchField {
  const item = sql`jsonb_array_elements(${column(from)}) as item`
  return {
    names,
    type: 'string',
    expression: sql`item ->> ${sql.lit(key)}`,
    isExplicitOnly: true,
    some: (isWanted) => sql`exists (select 1 from ${item} where ${isWanted})`,
  }
}

/** Only references of one type. */
function reference(names: SearchField['names'], type: string): SearchField {
  const field = some(names, 'refers_to', 'id')
  return {
    ...field,
    some: (isWanted) =>
      (field.some as NonNullable<SearchField['some']>)(sql`item ->> 'type' = ${type} and ${isWanted}`),
  }
}

/** The advisories of repositories by themselves. */
export const advisoryList: UnitList = {
  path: 'errata',
  table: 'erratum_units',
  fields: [
    text('errata_id'),
    { ...text('title'), names: ['title', 'name'] },
    text('severity'),
    text('type'),
    { names: ['issued'], type: 'date', expression: column('issued_at'), isExplicitOnly: true },
    { names: ['updated'], type: 'date', expression: column('updated_at'), isExplicitOnly: true },
    { names: ['reboot_suggested'], type: 'boolean', expression: column('reboot_suggested'), isExplicitOnly: true },
    reference(['cve', 'cves'], 'cve'),
    reference(['bug', 'bugs'], 'bugzilla'),
    some(['package', 'packages'], 'packages', 'nevra'),
    some(['package_name'], 'packages', 'name'),
    {
      names: ['modular'],
      type: 'boolean',
      expression: sql`jsonb_path_exists(${column('packages')}, '$[*].module')`,
      isExplicitOnly: true,
    },
  ],
  order: { by: 'updated', direction: 'desc' },
  ownId: column('errata_id'),
  present,
}

type Row = Readonly<Record<string, unknown>>
type Items = readonly Readonly<Record<string, unknown>>[]

function present(row: Row): object {
  const references = row['refers_to'] as Items
  const packages = row['packages'] as Items
  const referring = (type: string) => references.filter((each) => each['type'] === type)
  return {
    errata_id: row['errata_id'],
    title: row['title'],
    name: row['title'],
    type: row['type'],
    severity: row['severity'],
    issued: dayOf(row['issued_at'] ?? row['issued']),
    updated: dayOf(row['updated_at'] ?? row['updated']),
    version: row['version'],
    status: row['status'],
    release: row['release'],
    summary: row['summary'],
    description: row['description'],
    solution: row['solution'],
    reboot_suggested: row['reboot_suggested'],
    cves: referring('cve').map(({ id, href }) => ({ cve_id: id, href })),
    bugs: referring('bugzilla').map(({ id, href }) => ({ bug_id: id, href })),
    packages: packages.map(({ nevra }) => nevra),
    module_streams: [
      ...new Map(packages.flatMap(({ module }) => (module ? [[JSON.stringify(module), module]] : []))).values(),
    ],
  }
}

function dayOf(moment: unknown): unknown {
  return moment instanceof Date ? moment.toISOString().slice(0, 10) : moment
}
