import { type RawBuilder, sql } from 'kysely'
import type { SearchField } from '../../../../platform/search/search-fields.ts'
import type { RepositoryFact, UnitList } from '../../../content-type.ts'

const columns = ['version', 'arch', 'family', 'variant'] as const

const column = (name: string): RawBuilder<unknown> => sql.ref(`unit.${name}`)

function text(name: string): SearchField {
  return { names: [name], type: 'string', expression: column(name) }
}

/** The trees of repositories by themselves. */
export const treeList: UnitList = {
  path: 'distributions',
  table: 'distribution_units',
  fields: [
    text('name'),
    ...columns.map(text),
    { names: ['bootable'], type: 'boolean', expression: column('is_bootable'), isExplicitOnly: true },
  ],
  order: { by: 'version', direction: 'desc' },
  present: ({ name, version, arch, family, variant, is_bootable: bootable }) => ({
    name,
    version,
    arch,
    family,
    variant,
    bootable,
  }),
}

/** What a repository's tree tells of it. */
export const treeFacts: readonly RepositoryFact[] = [
  ...columns.map((name): RepositoryFact => {
    const expression = sql`nullif(${column(name)}, '')`
    return { name: `distribution_${name}`, kind: 'distribution', type: 'string', expression }
  }),
  { name: 'distribution_bootable', kind: 'distribution', type: 'boolean', expression: column('is_bootable') },
]
