import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import type { Actor } from '../../platform/auth/actor.ts'
import { AppError } from '../../platform/errors.ts'
import type { Announcer } from '../events/announcer.ts'
import { copyFolder } from '../files/copy-folder.ts'
import type { Lab } from '../lab.ts'
import { listNodes } from '../nodes/node-store.ts'
import type { ProjectAccess } from '../projects/project-access.ts'
import type { ProjectFolders } from '../projects/project-folder.ts'
import { findProject, insertProject } from '../projects/project-store.ts'
import type { NodeRow, ProjectRow } from '../tables.ts'
import { type Content, withFreshIds } from './content.ts'
import { ContentWriter, type ContentWriterParts } from './content-writer.ts'
import type { TopologyDocument } from './document-contract.ts'
import { type ExportParts, exportDocument } from './export-document.ts'
import { readContent, readSettings } from './read-document.ts'
import { refuseRunning, statesOf } from './resting-nodes.ts'

export interface TopologyServiceParts extends ExportParts, ContentWriterParts {
  readonly db: ContentWriterParts['db']
  readonly access: ProjectAccess
  readonly folders: ProjectFolders
  readonly lab: Lab
  readonly announcer: Announcer
}

export interface ImportRequest {
  readonly projectId: string
  readonly name: string | undefined
  readonly document: TopologyDocument
}

export interface DuplicateRequest {
  readonly name: string
  readonly resetMacAddresses: boolean
}

/** Whole projects as documents, and documents as projects. */
export class TopologyService {
  readonly #parts: TopologyServiceParts
  readonly #writer: ContentWriter

  constructor(parts: TopologyServiceParts) {
    this.#parts = parts
    this.#writer = new ContentWriter(parts)
  }

  async exportProject(actor: Actor, id: string): Promise<TopologyDocument> {
    return this.#parts.access.inProject(actor, id, (project) => exportDocument(this.#parts, project))
  }

  /** @throws AppError that names what is wrong in the document; nothing of it is left then */
  async importProject(actor: Actor, { projectId, name, document }: ImportRequest): Promise<ProjectRow> {
    const { db, kinds } = this.#parts
    const id = projectId.toLowerCase()
    const content = readContent(document, { actor, kinds })
    if ((await findProject(db, id)) !== undefined)
      throw new AppError('conflict', `Cannot import the project: the id ${id} is taken`)
    const settled = await this.#writer.withFreeIds(id, content)
    return this.#create(actor, { id, name: name ?? document.name, settings: readSettings(document), content: settled })
  }

  /** @throws AppError `conflict` while a node of the project runs */
  async duplicateProject(actor: Actor, id: string, { name, resetMacAddresses }: DuplicateRequest): Promise<ProjectRow> {
    const { db, kinds, access, folders } = this.#parts
    return access.inProject(actor, id, async (project) => {
      const nodes = await listNodes(db, id)
      refuseRunning(nodes, this.#parts, 'duplicate the project')
      const document = await exportDocument(this.#parts, project)
      const states = resetMacAddresses ? {} : statesOf(nodes)
      const content = withFreshIds(readContent(document, { actor, kinds, states }), () => true)
      const copy = { id: randomUUID(), name, settings: project.settings, content: withAnyPort(content) }
      try {
        await this.#copyFiles(nodes, copy)
        return await this.#create(actor, copy)
      } catch (error) {
        await rm(folders.project(copy.id), { recursive: true, force: true })
        throw error
      }
    })
  }

  /** The nodes of the content are those of the rows, in the same order. */
  async #copyFiles(nodes: readonly NodeRow[], { id: project_id, content }: NewProject): Promise<void> {
    const { folders } = this.#parts
    for (const [index, { id, node_type }] of content.nodes.entries())
      await copyFolder(folders.node(nodes[index] as NodeRow), folders.node({ id, node_type, project_id }))
  }

  async #create(actor: Actor, { id, name, settings, content }: NewProject): Promise<ProjectRow> {
    const { db, announcer } = this.#parts
    const project = { id, name, owner_id: actor.userId ?? null, settings, is_open: false }
    await this.#writer.replace(id, content, { before: (tx) => insertProject(tx, project) })
    const created = (await findProject(db, id)) as ProjectRow
    announcer.project('created', created)
    return created
  }
}

interface NewProject {
  readonly id: string
  readonly name: string
  readonly settings: Record<string, unknown>
  readonly content: Content
}

/** The original keeps its own. */
function withAnyPort(content: Content): Content {
  const nodes = content.nodes.map((node) => ({ ...node, wantedPort: node.wantedPort === null ? null : 'any' }) as const)
  return { ...content, nodes }
}
