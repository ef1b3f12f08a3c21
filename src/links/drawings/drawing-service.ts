import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Kysely } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import { isUniqueViolation } from '../../platform/db/database.ts'
import { AppError, invalidField } from '../../platform/errors.ts'
import type { Announcer } from '../events/announcer.ts'
import type { ProjectAccess } from '../projects/project-access.ts'
import type { DrawingRow, LinksTables } from '../tables.ts'
import {
  type DrawingChanges,
  deleteDrawing,
  getDrawing,
  insertDrawing,
  listDrawings,
  type NewDrawing,
  updateDrawing,
} from './drawing-store.ts'
import { isSvgText } from './svg-text.ts'

export interface DrawingServiceParts {
  readonly db: Kysely<LinksTables>
  readonly access: ProjectAccess
  readonly announcer: Announcer
}

export interface DrawingAddress {
  readonly projectId: string
  readonly id: string
}

export interface DrawingRequest extends DrawingChanges {
  readonly drawing_id?: string | null
}

/** How a drawing is that nobody said more about. */
export const defaultDrawing = { x: 0, y: 0, z: 2, rotation: 0, locked: false, svg: '<svg></svg>' }

/** What people draw on the maps of projects. */
export class DrawingService {
  readonly #parts: DrawingServiceParts

  constructor(parts: DrawingServiceParts) {
    this.#parts = parts
  }

  async listDrawings(actor: Actor, projectId: string): Promise<DrawingRow[]> {
    const { id } = await this.#parts.access.getProject(actor, projectId)
    return listDrawings(this.#parts.db, id)
  }

  async getDrawing(actor: Actor, { projectId, id }: DrawingAddress): Promise<DrawingRow> {
    await this.#parts.access.getOpenProject(actor, projectId)
    return getDrawing(this.#parts.db, projectId, id)
  }

  async createDrawing(actor: Actor, projectId: string, { drawing_id, ...looks }: DrawingRequest): Promise<DrawingRow> {
    const { db, access, announcer } = this.#parts
    return access.inOpenProject(actor, projectId, async () => {
      checkSvg(looks)
      const drawing = { ...defaultDrawing, ...looks, id: drawing_id ?? randomUUID(), project_id: projectId }
      const stored = await refuseTakenId(() => insertDrawing(db, drawing as NewDrawing))
      announcer.drawing('created', stored)
      return stored
    })
  }

  async updateDrawing(actor: Actor, { projectId, id }: DrawingAddress, changes: DrawingChanges): Promise<DrawingRow> {
    const { db, access, announcer } = this.#parts
    return access.inOpenProject(actor, projectId, async () => {
      const drawing = await getDrawing(db, projectId, id)
      checkSvg(changes)
      const changed = await updateDrawing(db, drawing.id, changes)
      if (!isDeepStrictEqual(changed, drawing)) announcer.drawing('updated', changed)
      return changed
    })
  }

  async deleteDrawing(actor: Actor, { projectId, id }: DrawingAddress): Promise<void> {
    const { db, access, announcer } = this.#parts
    await access.inOpenProject(actor, projectId, async () => {
      const drawing = await getDrawing(db, projectId, id)
      await deleteDrawing(db, drawing.id)
      announcer.drawing('deleted', drawing)
    })
  }
}

function checkSvg({ svg }: DrawingChanges): void {
  if (svg !== undefined && !isSvgText(svg)) throw invalidField('svg', 'must be the text of an <svg> element')
}

async function refuseTakenId(write: () => Promise<DrawingRow>): Promise<DrawingRow> {
  try {
    return await write()
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    throw new AppError('conflict', 'Cannot save the drawing: its id is taken', { cause: error })
  }
}
