import type { Db } from '../../platform/db/database.ts'
import { insertDrawing } from '../drawings/drawing-store.ts'
import { insertLink } from '../links/link-store.ts'
import { insertNode } from '../nodes/node-store.ts'
import type { LinksTables } from '../tables.ts'
import { type Content, idsOf } from './content.ts'

type LinksDb = Db<LinksTables>

const tables = ['nodes', 'links', 'drawings'] as const

/** Those of the content's ids that are in use, other than in one project. */
export async function findTakenIds(db: LinksDb, content: Content, exceptProjectId: string): Promise<Set<string>> {
  const ids = idsOf(content)
  const taken = new Set<string>()
  for (const table of tables) {
    if (ids[table].length === 0) continue
    const rows = await db
      .selectFrom(table)
      .select('id')
      .where('id', 'in', ids[table])
      .where('project_id', '!=', exceptProjectId)
      .execute()
    for (const { id } of rows) taken.add(id)
  }
  return taken
}

export interface NewContent {
  readonly projectId: string
  readonly content: Content
  /** Of each node, in order. */
  readonly consolePorts: readonly (number | null)[]
}

export async function insertContent(db: LinksDb, { projectId, content, consolePorts }: NewContent): Promise<void> {
  const project_id = projectId
  for (const [index, { wantedPort: _wanted, ...node }] of content.nodes.entries())
    await insertNode(db, { ...node, project_id, console_port: consolePorts[index] ?? null })
  for (const link of content.links) await insertLink(db, { ...link, project_id })
  for (const drawing of content.drawings) await insertDrawing(db, { ...drawing, project_id })
}

/** Deletes all nodes, links and drawings of a project. */
export async function deleteContent(db: LinksDb, projectId: string): Promise<void> {
  for (const table of ['links', 'nodes', 'drawings'] as const)
    await db.deleteFrom(table).where('project_id', '=', projectId).execute()
}
