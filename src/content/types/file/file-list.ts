import { sql } from 'kysely'
import type { UnitList } from '../../content-type.ts'

/** The files of repositories by themselves. */
export const fileList: UnitList = {
  path: 'files',
  table: 'file_units',
  fields: [
    { names: ['name'], type: 'string', expression: sql`regexp_replace(unit.path, '^.*/', '')` },
    { names: ['path'], type: 'string', expression: sql.ref('unit.path') },
    { names: ['checksum'], type: 'string', expression: sql.ref('unit.sha256') },
  ],
  order: { by: 'name', direction: 'asc' },
  ownId: sql.ref('unit.sha256'),
  present: ({ path, sha256 }) => ({ name: String(path).split('/').at(-1), path, checksum: sha256 }),
}
