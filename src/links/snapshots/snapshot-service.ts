import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Actor } from '../../platform/auth/actor.ts'
import { listLinks } from '../links/link-store.ts'
import { listNodes, restNodes } from '../nodes/node-store.ts'
import { findProject, updateProject } from '../projects/project-store.ts'
import type { ProjectRow, SnapshotRow } from '../tables.ts'
import type { Content } from '../topology/content.ts'
import { ContentWriter } from '../topology/content-writer.ts'
import type { TopologyDocument } from '../topology/document-contract.ts'
import { exportDocument } from '../topology/export-document.ts'
import { readContent, readSettings } from '../topology/read-document.ts'
import { refuseRunning, statesOf } from '../topology/resting-nodes.ts'
import type { TopologyServiceParts } from '../topology/topology-service.ts'
import { FileExchange, keepFiles, type SnapshotAddress } from './snapshot-files.ts'
import {
  deleteSnapshot,
  getSnapshot,
  insertSnapshot,
  listSnapshots,
  refuseTakenName,
  type SnapshotHead,
} from './snapshot-store.ts'

/** How projects were at some time. */
export class SnapshotService {
  readonly #parts: TopologyServiceParts
  readonly #writer: ContentWriter

  constructor(parts: TopologyServiceParts) {
    this.#parts = parts
    this.#writer = new ContentWriter(parts)
  }

  async listSnapshots(actor: Actor, projectId: string): Promise<SnapshotHead[]> {
    const { id } = await this.#parts.access.getProject(actor, projectId)
    return listSnapshots(this.#parts.db, id)
  }

  /** @throws AppError `conflict` while a node of the project runs, or for a name that is taken */
  async createSnapshot(actor: Actor, projectId: string, name: string): Promise<SnapshotHead> {
    const { db, access, folders } = this.#parts
    return access.inOpenProject(actor, projectId, async (project) => {
      await refuseTakenName(db, projectId, name)
      const nodes = await listNodes(db, projectId)
      refuseRunning(nodes, this.#parts, 'make a snapshot')
      const address = { projectId, id: randomUUID() }
      const topology = await exportDocument(this.#parts, project)
      await keepFiles(folders, address, nodes)
      try {
        const snapshot = { id: address.id, project_id: projectId, name, topology, node_states: statesOf(nodes) }
        return await insertSnapshot(db, snapshot)
      } catch (error) {
        await rm(folders.snapshot(projectId, address.id), { recursive: true, force: true })
        throw error
      }
    })
  }

  async deleteSnapshot(actor: Actor, { projectId, id }: SnapshotAddress): Promise<void> {
    const { db, access, folders } = this.#parts
    await access.inOpenProject(actor, projectId, async () => {
      const snapshot = await getSnapshot(db, projectId, id)
      await deleteSnapshot(db, snapshot.id)
      await rm(folders.snapshot(projectId, snapshot.id), { recursive: true, force: true })
    })
  }

  /** Makes the project what it was, with the same ids; its nodes rest then. Its name stays. */
  async restoreSnapshot(actor: Actor, { projectId, id }: SnapshotAddress): Promise<ProjectRow> {
    const { db, access, announcer, kinds } = this.#parts
    return access.inOpenProject(actor, projectId, async (project) => {
      const snapshot = await getSnapshot(db, projectId, id)
      const document = snapshot.topology as TopologyDocument
      const content = readContent(document, { actor, kinds, states: snapshot.node_states })
      await this.#replace(snapshot, content, readSettings(document))
      const restored = (await findProject(db, projectId)) as ProjectRow
      if (!isDeepStrictEqual(restored, project)) announcer.project('updated', restored)
      announcer.restoredSnapshot(snapshot)
      return restored
    })
  }

  async #replace(snapshot: SnapshotRow, kept: Content, settings: Record<string, unknown>): Promise<void> {
    const { lab } = this.#parts
    const projectId = snapshot.project_id
    const content = await this.#writer.withFreeIds(projectId, kept)
    const files = await this.#prepareFiles(snapshot, kept, content)
    try {
      await this.#stop(projectId)
      await this.#writer.replace(projectId, content, {
        before: (tx) => updateProject(tx, projectId, { settings }),
        after: () => files.run(),
      })
    } catch (error) {
      await files.undo()
      throw error
    } finally {
      await lab.openProject(projectId)
      await files.end()
    }
  }

  async #prepareFiles({ id, project_id }: SnapshotRow, kept: Content, content: Content): Promise<FileExchange> {
    const { db, folders } = this.#parts
    const after = content.nodes.map(({ id, node_type }, index) => {
      return { id, node_type, project_id, keptId: kept.nodes[index]?.id ?? id }
    })
    const snapshot = { projectId: project_id, id }
    return FileExchange.prepare(folders, { snapshot, before: await listNodes(db, project_id), after })
  }

  async #stop(projectId: string): Promise<void> {
    const { db, lab } = this.#parts
    await lab.stopProject(projectId)
    await restNodes(db, projectId)
    for (const { id } of await listLinks(db, projectId)) await lab.closeLink(id)
  }
}
