import type { FileHandle } from 'node:fs/promises'
import type { Kysely } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import { AppError } from '../../platform/errors.ts'
import { isUuid } from '../../platform/uuid.ts'
import type { NodeKind } from '../nodes/node-kind.ts'
import { requireNodeRight } from '../nodes/node-service.ts'
import { findNode, getNode } from '../nodes/node-store.ts'
import type { ProjectAccess } from '../projects/project-access.ts'
import type { ProjectFolders } from '../projects/project-folder.ts'
import type { LinksTables, NodeRow } from '../tables.ts'
import { checkPath } from './file-path.ts'
import { HeldFolder } from './held-folder.ts'

export interface FileServiceParts {
  readonly db: Kysely<LinksTables>
  readonly access: ProjectAccess
  readonly folders: ProjectFolders
  readonly kinds: ReadonlyMap<string, NodeKind>
}

export interface FileAddress {
  readonly projectId: string
  /** Below this node's folder; below the project's when there is none. */
  readonly nodeId?: string | undefined
  readonly path: string
}

export interface OpenedFile {
  readonly file: FileHandle
  readonly sizeBytes: number
}

/** Files below the folders of projects and nodes. */
export class FileService {
  readonly #parts: FileServiceParts

  constructor(parts: FileServiceParts) {
    this.#parts = parts
  }

  /** @throws AppError `not_found` for what is no plain file; the caller closes what it gets */
  async openFile(actor: Actor, address: FileAddress): Promise<OpenedFile> {
    const parts = checkPath(address.path)
    const { id } = await this.#parts.access.getProject(actor, address.projectId)
    const root = await this.#root(id, address.nodeId)
    await using folder = await HeldFolder.open({ root, parts: parts.slice(0, -1) })
    return await folder.openFile(parts.at(-1) as string)
  }

  /** The file is there whole, or as it was before; others may use the project while bytes come. */
  async writeFile(actor: Actor, address: FileAddress, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const { access } = this.#parts
    const parts = checkPath(address.path)
    const root = async () => {
      await this.#checkWriting(actor, address, parts)
      return this.#root(address.projectId, address.nodeId)
    }
    await using folder = await access.inOpenProject(actor, address.projectId, async () =>
      HeldFolder.open({ root: await root(), parts: parts.slice(0, -1) }, true),
    )
    await folder.writeFile(parts.at(-1) as string, bytes, (giveName) =>
      access.inOpenProject(actor, address.projectId, async () => {
        await root()
        await giveName()
      }),
    )
  }

  async #root(projectId: string, nodeId: string | undefined): Promise<string> {
    const { db, folders } = this.#parts
    return nodeId === undefined ? folders.project(projectId) : folders.node(await getNode(db, projectId, nodeId))
  }

  /** Who may not use a node must not put files before it; snapshots never change. */
  async #checkWriting(actor: Actor, { projectId, nodeId }: FileAddress, parts: readonly string[]): Promise<void> {
    const { db, kinds } = this.#parts
    if (nodeId === undefined && parts[0] === 'snapshots')
      throw new AppError('forbidden', 'Cannot write this file: snapshots do not change')
    const node = nodeId === undefined ? await this.#nodeOf(projectId, parts) : await findNode(db, projectId, nodeId)
    if (node !== undefined) requireNodeRight(actor, kinds.get(node.node_type) as NodeKind, node.properties)
  }

  /**
   * The node whose folder a path below the project's leads into: `project-files/<node type>/<node id>/…`.
   *
   * @throws AppError `conflict` for what would stand where the server has folders of its own, or may come to have them
   */
  async #nodeOf(projectId: string, parts: readonly string[]): Promise<NodeRow | undefined> {
    const [first, type = '', id = '', ...below] = parts
    if (first !== 'project-files') return undefined
    if (this.#parts.kinds.has(type)) {
      const node = isUuid(id) ? await findNode(this.#parts.db, projectId, id) : undefined
      if (node?.id === id && node.node_type === type && below.length > 0) return node
    } else if (id !== '' || !['', 'captures'].includes(type)) return undefined
    throw new AppError('conflict', `Cannot write ${parts.join('/')}: the server has folders of its own there`)
  }
}
