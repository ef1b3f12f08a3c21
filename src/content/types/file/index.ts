import { join } from 'node:path'
import type { ContentType } from '../../content-type.ts'
import { discoverFiles } from './discover.ts'
import { fileFilter } from './file-filter.ts'
import { fileList } from './file-list.ts'
import { parseFile } from './parse-file.ts'
import { publishFiles } from './publish.ts'

/** Plain files of any kind, listed by a PULP_MANIFEST or SHA256SUMS or the pages of their folder. */
export const file: ContentType = {
  name: 'file',
  migrations: join(import.meta.dirname, 'migrations'),
  unitKinds: [
    { kind: 'file', label: 'file', countKey: 'file', idFilter: 'file_id', isRemovable: true, list: fileList },
  ],
  defaultUnit: 'file',
  attributes: {},
  syncOptions: [],
  filters: [fileFilter],
  work: { discover: discoverFiles, parseUpload: parseFile, publish: publishFiles },
}
