import type { ProjectRow } from '../tables.ts'
import type { ProjectFolders } from './project-folder.ts'

/** The 19 keys of GNS3's project object. */
export function presentProject({ id, name, is_open, settings }: ProjectRow, folders: ProjectFolders): object {
  return {
    name,
    project_id: id,
    path: folders.project(id),
    filename: `${name}.gns3`,
    status: is_open ? 'opened' : 'closed',
    ...settings,
  }
}
