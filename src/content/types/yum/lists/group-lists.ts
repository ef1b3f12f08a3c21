import { sql } from 'kysely'
import type { SearchField } from '../../../../platform/search/search-fields.ts'
import type { UnitList } from '../../../content-type.ts'

const column = (name: string) => sql.ref(`unit.${name}`)

function text(name: string, from = name): SearchField {
  return { names: [name], type: 'string', expression: column(from) }
}

const order = { by: 'name', direction: 'asc' } as const

/** The groups of packages of repositories by themselves. */
export const groupList: UnitList = {
  path: 'package_groups',
  table: 'package_group_units',
  fields: [text('name'), text('description'), text('package_group_id', 'group_id')],
  order,
  ownId: column('group_id'),
  present: ({ name, description, group_id }) => ({ name, description, package_group_id: group_id }),
}

/** The streams of modules of repositories by themselves. */
export const moduleList: UnitList = {
  path: 'module_streams',
  table: 'module_stream_units',
  fields: [
    text('name'),
    text('stream'),
    text('version'),
    text('context'),
    text('arch'),
    text('summary'),
    text('description'),
  ],
  order,
  present: ({ name, stream, version, context, arch, summary, description, profiles, artifacts }) => ({
    name,
    stream,
    version,
    context,
    arch,
    summary,
    description,
    module_spec: `${name}:${stream}`,
    profiles: (profiles as readonly { name: string; packages: readonly string[] }[]).map((profile) => ({
      name: profile.name,
      rpms: profile.packages.map((rpm) => ({ name: rpm })),
    })),
    artifacts: (artifacts as readonly string[]).map((artifact) => ({ name: artifact })),
  }),
}
