import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Kysely } from 'kysely'
import { type Actor, hasRight, system } from '../../platform/auth/actor.ts'
import { isForeignKeyViolation } from '../../platform/db/database.ts'
import { AppError, invalidField, messageOf } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'
import type { Announcer } from '../events/announcer.ts'
import type { Lab } from '../lab.ts'
import type { NodeRunner } from '../nodes/node-runner.ts'
import { restNodes } from '../nodes/node-store.ts'
import type { LinksTables, ProjectRow } from '../tables.ts'
import type { ProjectAccess } from './project-access.ts'
import { defaultSettings } from './project-contract.ts'
import type { ProjectFolders } from './project-folder.ts'
import {
  countContent,
  deleteMember,
  deleteProject,
  findProject,
  insertMember,
  insertProject,
  listMembers,
  listProjects,
  listProjectsToOpen,
  type ProjectStatistics,
  updateProject,
} from './project-store.ts'

export interface ProjectServiceParts {
  readonly db: Kysely<LinksTables>
  readonly access: ProjectAccess
  readonly folders: ProjectFolders
  readonly lab: Lab
  readonly announcer: Announcer
  readonly runner: NodeRunner
  readonly logger: Logger
}

export interface ProjectRequest {
  readonly name: string
  readonly project_id?: string | null
  readonly [setting: string]: unknown
}

/** Projects: labs that belong to somebody and are open or at rest. */
export class ProjectService {
  readonly #parts: ProjectServiceParts

  constructor(parts: ProjectServiceParts) {
    this.#parts = parts
  }

  async listProjects(actor: Actor): Promise<ProjectRow[]> {
    return listProjects(this.#parts.db, hasRight(actor, 'admin') ? undefined : (actor.userId ?? 0))
  }

  async getProject(actor: Actor, id: string): Promise<ProjectRow> {
    return this.#parts.access.getProject(actor, id)
  }

  async createProject(actor: Actor, { name, project_id: wanted, ...settings }: ProjectRequest): Promise<ProjectRow> {
    const { db, announcer } = this.#parts
    const id = wanted ?? randomUUID()
    if ((await findProject(db, id)) !== undefined)
      throw new AppError('conflict', `Cannot create project "${name}": the id ${id} is taken`)
    const project = await insertProject(db, {
      id,
      name,
      owner_id: actor.userId ?? null,
      settings: { ...defaultSettings, ...settings },
    })
    announcer.project('created', project)
    return project
  }

  async countContent(actor: Actor, id: string): Promise<ProjectStatistics> {
    await this.#parts.access.getProject(actor, id)
    return countContent(this.#parts.db, id)
  }

  async updateProject(actor: Actor, id: string, { name, ...settings }: Partial<ProjectRequest>): Promise<ProjectRow> {
    const { db, access, announcer } = this.#parts
    return access.inProject(actor, id, async (project) => {
      const changed = await updateProject(db, id, { name, settings: { ...project.settings, ...settings } })
      if (!isDeepStrictEqual(changed, project)) announcer.project('updated', changed)
      return changed
    })
  }

  /** Ends whatever runs in the project, then forgets it and its files. */
  async deleteProject(actor: Actor, id: string): Promise<void> {
    const { db, access, folders, lab, announcer } = this.#parts
    await access.inOwnProject(actor, id, async (project) => {
      const members = await listMembers(db, id)
      await lab.stopProject(id)
      await db.transaction().execute((tx) => deleteProject(tx, id))
      await rm(folders.project(id), { recursive: true, force: true })
      announcer.deletedProject(project, new Set([...members, ...(project.owner_id === null ? [] : [project.owner_id])]))
    })
  }

  /** Starts its nodes too if it says so; those that cannot start rest, and its listeners are told. */
  async openProject(actor: Actor, id: string): Promise<ProjectRow> {
    const { db, access, lab, announcer } = this.#parts
    const { project, isOpened } = await access.inProject(actor, id, async (before) => {
      if (before.is_open) return { project: before, isOpened: false }
      const opened = await updateProject(db, id, { is_open: true })
      await lab.openProject(id)
      announcer.project('opened', opened)
      return { project: opened, isOpened: true }
    })
    if (isOpened && project.settings['auto_start'] === true) await this.#startNodes(actor, id)
    return project
  }

  /** Opens the projects that want to be open when the server has started. */
  async openWanted(): Promise<void> {
    const { db, logger } = this.#parts
    for (const { id } of await listProjectsToOpen(db)) {
      await this.openProject(system, id).catch((error) =>
        logger.warn({ err: error, project: id }, 'a project could not be opened by itself'),
      )
    }
  }

  /** Its nodes end for good: they are not started again when the project is opened. */
  async closeProject(actor: Actor, id: string): Promise<void> {
    const { db, access, lab, announcer } = this.#parts
    await access.inProject(actor, id, async (project) => {
      await lab.stopProject(id)
      await restNodes(db, id)
      const closed = await updateProject(db, id, { is_open: false })
      if (project.is_open) announcer.project('closed', closed)
    })
  }

  /** Closes a project that wants to be closed when nobody looks at it any more. */
  async closeUnattended(id: string): Promise<void> {
    const project = await findProject(this.#parts.db, id)
    if (project?.is_open === true && project.settings['auto_close'] === true) await this.closeProject(system, id)
  }

  async #startNodes(actor: Actor, id: string): Promise<void> {
    const { runner, announcer, logger } = this.#parts
    await runner.actOnAll(actor, id, 'start').catch((error) => {
      logger.warn({ err: error, project: id }, 'not all nodes of a project could be started when it was opened')
      announcer.log('warning', id, messageOf(error))
    })
  }

  async listMembers(actor: Actor, id: string): Promise<number[]> {
    await this.#parts.access.getProject(actor, id)
    return listMembers(this.#parts.db, id)
  }

  async addMember(actor: Actor, id: string, userId: number): Promise<void> {
    const { db, access } = this.#parts
    try {
      await access.inOwnProject(actor, id, () => insertMember(db, id, userId))
    } catch (error) {
      if (isForeignKeyViolation(error)) throw invalidField('user_id', 'is the id of no user')
      throw error
    }
  }

  async removeMember(actor: Actor, id: string, userId: number): Promise<void> {
    const { db, access } = this.#parts
    await access.inOwnProject(actor, id, () => deleteMember(db, id, userId))
  }
}
