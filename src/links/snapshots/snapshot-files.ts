import { randomUUID } from 'node:crypto'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { copyFolder } from '../files/copy-folder.ts'
import { unfinishedPrefix } from '../files/write-whole.ts'
import type { ProjectFolders } from '../projects/project-folder.ts'

/** What names the folder of a node's files. */
export interface NodeFiles {
  readonly id: string
  readonly node_type: string
  readonly project_id: string
}

export interface SnapshotAddress {
  readonly projectId: string
  readonly id: string
}

/** Copies the files of nodes into a snapshot, which is there whole or not at all. The nodes must rest. */
export async function keepFiles(
  folders: ProjectFolders,
  { projectId, id }: SnapshotAddress,
  nodes: readonly NodeFiles[],
): Promise<void> {
  const unfinished = folders.snapshot(projectId, `${unfinishedPrefix}${id}`)
  try {
    await mkdir(unfinished, { recursive: true, mode: 0o700 })
    for (const node of nodes) await copyFolder(folders.node(node), join(unfinished, node.node_type, node.id))
    await rename(unfinished, folders.snapshot(projectId, id))
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    throw error
  }
}

export interface Exchange {
  readonly snapshot: SnapshotAddress
  /** Those whose files go. */
  readonly before: readonly NodeFiles[]
  /** Those whose files come, with the id that they have in the snapshot. */
  readonly after: readonly (NodeFiles & { readonly keptId: string })[]
}

/** Puts the files of a snapshot in the place of those of a project's nodes, and back while that is not decided. */
export class FileExchange {
  readonly #folders: ProjectFolders
  readonly #exchange: Exchange
  readonly #aside: string
  readonly #moved: { readonly from: string; readonly to: string }[] = []

  private constructor(folders: ProjectFolders, exchange: Exchange) {
    this.#folders = folders
    this.#exchange = exchange
    this.#aside = join(folders.project(exchange.snapshot.projectId), `${unfinishedPrefix}${randomUUID()}`)
  }

  /** Copies what comes; what is there stays as it is until `run`. */
  static async prepare(folders: ProjectFolders, exchange: Exchange): Promise<FileExchange> {
    const prepared = new FileExchange(folders, exchange)
    try {
      await prepared.#copy()
      return prepared
    } catch (error) {
      await prepared.end()
      throw error
    }
  }

  async run(): Promise<void> {
    for (const node of this.#exchange.before) await this.#move(this.#folders.node(node), this.#old(node))
    for (const node of this.#exchange.after) await this.#move(this.#new(node), this.#folders.node(node))
  }

  /** Makes the files what they were. */
  async undo(): Promise<void> {
    for (const { from, to } of this.#moved.splice(0).reverse()) await rename(to, from)
  }

  /** Forgets what is not needed any more. */
  async end(): Promise<void> {
    await rm(this.#aside, { recursive: true, force: true })
  }

  async #copy(): Promise<void> {
    const { snapshot, after } = this.#exchange
    const kept = this.#folders.snapshot(snapshot.projectId, snapshot.id)
    for (const node of after) await copyFolder(join(kept, node.node_type, node.keptId), this.#new(node))
  }

  /** Nodes that never started have no files. */
  async #move(from: string, to: string): Promise<void> {
    await mkdir(dirname(to), { recursive: true, mode: 0o700 })
    try {
      await rename(from, to)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
      throw error
    }
    this.#moved.push({ from, to })
  }

  #old({ node_type, id }: NodeFiles): string {
    return join(this.#aside, 'old', node_type, id)
  }

  #new({ node_type, id }: NodeFiles): string {
    return join(this.#aside, 'new', node_type, id)
  }
}
