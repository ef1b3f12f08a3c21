import { join } from 'node:path'

/**
 * The files of projects, and the only place that builds their paths:
 *
 *   <projects>/<project id>/
 *     project-files/
 *       captures/<name>              pcap files
 *       <node type>/<node id>/       what a node reads and writes
 *     snapshots/
 *       <snapshot id>/<node type>/<node id>/
 */
export class ProjectFolders {
  readonly #root: string

  constructor(root: string) {
    this.#root = root
  }

  project(projectId: string): string {
    return join(this.#root, projectId)
  }

  captures(projectId: string): string {
    return join(this.project(projectId), 'project-files', 'captures')
  }

  node({
    project_id,
    node_type,
    id,
  }: {
    readonly project_id: string
    readonly node_type: string
    readonly id: string
  }): string {
    return join(this.project(project_id), 'project-files', node_type, id)
  }

  snapshot(projectId: string, snapshotId: string): string {
    return join(this.project(projectId), 'snapshots', snapshotId)
  }
}
