import type { Db } from '../../platform/db/database.ts'
import { AppError } from '../../platform/errors.ts'
import { isUuid } from '../../platform/uuid.ts'
import type { LinksTables, NodeRow } from '../tables.ts'

type LinksDb = Db<LinksTables>

export interface NewNode {
  readonly id: string
  readonly project_id: string
  readonly name: string
  readonly node_type: string
  readonly console_port: number | null
  readonly appearance: Record<string, unknown>
  readonly properties: Record<string, unknown>
  readonly kind_state: Record<string, unknown>
}

export async function insertNode(
  db: LinksDb,
  { appearance, properties, kind_state, ...node }: NewNode,
): Promise<NodeRow> {
  return db
    .insertInto('nodes')
    .values({
      ...node,
      appearance: JSON.stringify(appearance),
      properties: JSON.stringify(properties),
      kind_state: JSON.stringify(kind_state),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** What is undefined stays as it is. */
export interface NodeChanges {
  readonly name?: string | undefined
  readonly is_started?: boolean | undefined
  readonly console_port?: number | undefined
  readonly appearance?: Record<string, unknown> | undefined
  readonly properties?: Record<string, unknown> | undefined
}

export async function updateNode(
  db: LinksDb,
  id: string,
  { appearance, properties, ...changes }: NodeChanges,
): Promise<NodeRow> {
  const set = {
    ...changes,
    appearance: appearance && JSON.stringify(appearance),
    properties: properties && JSON.stringify(properties),
  }
  return db
    .updateTable('nodes')
    .set({ id, ...set })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function findNode(db: LinksDb, projectId: string, id: string): Promise<NodeRow | undefined> {
  if (!isUuid(id)) return undefined
  return db.selectFrom('nodes').selectAll().where('id', '=', id).where('project_id', '=', projectId).executeTakeFirst()
}

/** @throws AppError `not_found`, in the words of GNS3 */
export async function getNode(db: LinksDb, projectId: string, id: string): Promise<NodeRow> {
  const node = await findNode(db, projectId, id)
  if (node === undefined) throw new AppError('not_found', `Node ID ${id} doesn't exist`)
  return node
}

export async function listNodes(db: LinksDb, projectId: string): Promise<NodeRow[]> {
  return db.selectFrom('nodes').selectAll().where('project_id', '=', projectId).orderBy('seq').execute()
}

export async function listNodesOfOpenProjects(db: LinksDb): Promise<NodeRow[]> {
  return db
    .selectFrom('nodes as n')
    .innerJoin('projects as p', 'p.id', 'n.project_id')
    .selectAll('n')
    .where('p.is_open', '=', true)
    .orderBy('n.seq')
    .execute()
}

/** The console ports of all nodes, other than those of one project. */
export async function listConsolePorts(db: LinksDb, exceptProjectId?: string): Promise<Set<number>> {
  const query = db.selectFrom('nodes').select('console_port').where('console_port', 'is not', null)
  const others = exceptProjectId === undefined ? query : query.where('project_id', '!=', exceptProjectId)
  return new Set((await others.execute()).map(({ console_port }) => console_port as number))
}

/** Wants all nodes of a project to rest. */
export async function restNodes(db: LinksDb, projectId: string): Promise<void> {
  await db.updateTable('nodes').set({ is_started: false }).where('project_id', '=', projectId).execute()
}

export async function deleteNode(db: LinksDb, id: string): Promise<void> {
  await db
    .deleteFrom('links')
    .where('id', 'in', (sub) => sub.selectFrom('link_ends').select('link_id').where('node_id', '=', id))
    .execute()
  await db.deleteFrom('nodes').where('id', '=', id).execute()
}
