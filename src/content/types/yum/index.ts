import { join } from 'node:path'
import { Type } from 'typebox'
import type { ContentType } from '../../content-type.ts'
import { advisoryFilter } from './filters/advisory-filter.ts'
import { groupFilter } from './filters/group-filter.ts'
import { isIdle } from './filters/idle-units.ts'
import { moduleFilter } from './filters/module-filter.ts'
import { packageFilter } from './filters/package-filter.ts'
import { advisoryList } from './lists/advisory-list.ts'
import { groupList, moduleList } from './lists/group-lists.ts'
import { packageList, sourceList } from './lists/package-list.ts'
import { treeFacts, treeList } from './lists/tree-list.ts'
import { parseRpm } from './parse-rpm.ts'
import { publishYum } from './publish/publish-yum.ts'
import { saveYumUnits } from './save-units.ts'
import { discoverYum } from './sync/discover-yum.ts'

/** `rhel-9` is one that the Ansible collection knows. */
const osVersions = [...[6, 7, 8].flatMap((version) => [`os-${version}`, `rhel-${version}`]), 'rhel-9']

/** RPM packages and what belongs to them. */
export const yum: ContentType = {
  name: 'yum',
  migrations: join(import.meta.dirname, 'migrations'),
  unitKinds: [
    { kind: 'rpm', label: 'rpm', countKey: 'rpm', idFilter: 'rpm_id', isRemovable: true, list: packageList },
    { kind: 'srpm', label: 'srpm', countKey: 'srpm', isRemovable: true, list: sourceList },
    { kind: 'modulemd', label: 'modulemd', countKey: 'module_stream', isRemovable: false, list: moduleList },
    {
      kind: 'erratum',
      label: 'erratum',
      countKey: 'erratum',
      idFilter: 'erratum_id',
      isRemovable: false,
      list: advisoryList,
    },
    {
      kind: 'package_group',
      label: 'package_group',
      countKey: 'package_group',
      isRemovable: false,
      list: groupList,
    },
    { kind: 'package_category', label: 'package_category', isRemovable: false },
    { kind: 'distribution', label: 'distribution', isRemovable: false, isSingle: true, list: treeList },
    { kind: 'yum_repo_metadata_file', label: 'yum_repo_metadata_file', isRemovable: false },
  ],
  countAliases: { package: 'rpm' },
  facts: treeFacts,
  defaultUnit: 'rpm',
  attributes: {
    os_versions: {
      schema: Type.Array(Type.Enum(osVersions), {
        maxItems: 1,
        description: 'Off on clients with another version of the system; none: on for all',
      }),
      default: [],
    },
    ignorable_content: {
      schema: Type.Array(Type.Enum(['srpm']), { maxItems: 10, description: 'Kinds of units that a sync leaves out' }),
      default: null,
    },
    retain_package_versions_count: {
      schema: Type.Integer({
        minimum: 0,
        maximum: 1_000_000,
        description: 'So many versions of each package are kept',
      }),
      default: null,
    },
  },
  downloadPolicy: 'immediate',
  syncOptions: ['skip_metadata_check', 'validate_contents'],
  filters: [packageFilter, advisoryFilter, groupFilter, moduleFilter],
  isIdle,
  work: { discover: discoverYum, parseUpload: parseRpm, saveUnits: saveYumUnits, publish: publishYum },
}
