import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import type { Kysely } from 'kysely'
import { type Actor, hasRight, system } from '../../platform/auth/actor.ts'
import { isForeignKeyViolation } from '../../platform/db/database.ts'
import { AppError, invalidField } from '../../platform/errors.ts'
import type { Lab } from '../lab.ts'
import { restNodes } from '../nodes/node-store.ts'
import type { LinksTables, ProjectRow } from '../tables.ts'
import type { ProjectAccess } from './project-access.ts'
import { defaultSettings } from './project-contract.ts'
import type { ProjectFolders } from './project-folder.ts'
import {
  deleteMember,
  deleteProject,
  findProject,
  insertMember,
  insertProject,
  listMembers,
  listProjects,
  updateProject,
} from './project-store.ts'

export interface ProjectServiceParts {
  readonly db: Kysely<LinksTables>
  readonly access: ProjectAccess
  readonly folders: ProjectFolders
  readonly lab: Lab
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
    const { db } = this.#parts
    const id = wanted ?? randomUUID()
    if ((await findProject(db, id)) !== undefined)
      throw new AppError('conflict', `Cannot create project "${name}": the id ${id} is taken`)
    return insertProject(db, {
      id,
      name,
      owner_id: actor.userId ?? null,
      settings: { ...defaultSettings, ...settings },
    })
  }

  async updateProject(actor: Actor, id: string, { name, ...settings }: Partial<ProjectRequest>): Promise<ProjectRow> {
    const { db, access } = this.#parts
    return access.inProject(actor, id, (project) => {
      return updateProject(db, id, { name, settings: { ...project.settings, ...settings } })
    })
  }

  /** Ends whatever runs in the project, then forgets it and its files. */
  async deleteProject(actor: Actor, id: string): Promise<void> {
    const { db, access, folders, lab } = this.#parts
    await access.inOwnProject(actor, id, async () => {
      await lab.stopProject(id)
      await db.transaction().execute((tx) => deleteProject(tx, id))
      await rm(folders.project(id), { recursive: true, force: true })
    })
  }

  async openProject(actor: Actor, id: string): Promise<ProjectRow> {
    const { db, access, lab } = this.#parts
    return access.inProject(actor, id, async () => {
      const project = await updateProject(db, id, { is_open: true })
      await lab.openProject(id)
      return project
    })
  }

  /** Its nodes end for good: they are not started again when the project is opened. */
  async closeProject(actor: Actor, id: string): Promise<void> {
    const { db, access, lab } = this.#parts
    await access.inProject(actor, id, async () => {
      await lab.stopProject(id)
      await restNodes(db, id)
      await updateProject(db, id, { is_open: false })
    })
  }

  /** Closes a project that wants to be closed when nobody looks at it any more. */
  async closeUnattended(id: string): Promise<void> {
    const project = await findProject(this.#parts.db, id)
    if (project?.is_open === true && project.settings['auto_close'] === true) await this.closeProject(system, id)
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
