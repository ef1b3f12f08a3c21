import { type Db, isUniqueViolation } from '../../platform/db/database.ts'
import { AppError } from '../../platform/errors.ts'
import type { FilterSet } from '../filters/index.ts'
import type { LinkEndRow, LinkRow, LinksTables, PortLabel } from '../tables.ts'

type LinksDb = Db<LinksTables>

/** A link with its two ends, the first one first. */
export interface Link extends LinkRow {
  readonly ends: readonly [LinkEndRow, LinkEndRow]
}

export interface NewLinkEnd {
  readonly node_id: string
  readonly adapter_number: number
  readonly port_number: number
  readonly label: PortLabel
}

export interface NewLink {
  readonly id: string
  readonly project_id: string
  readonly filters: FilterSet
  readonly is_suspended: boolean
  readonly link_style: Record<string, unknown>
  readonly ends: readonly [NewLinkEnd, NewLinkEnd]
}

/** @throws AppError `conflict` when a port is taken */
export async function insertLink(db: LinksDb, { ends, filters, link_style, ...link }: NewLink): Promise<Link> {
  const row = await db
    .insertInto('links')
    .values({
      ...link,
      filters: JSON.stringify(filters),
      link_style: JSON.stringify(link_style),
      capture_file_name: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  const [first, second] = await insertEnds(db, link.id, ends)
  return { ...row, ends: [first, second] as [LinkEndRow, LinkEndRow] }
}

async function insertEnds(db: LinksDb, linkId: string, ends: NewLink['ends']): Promise<LinkEndRow[]> {
  const rows = ends.map((end, side) => ({
    ...end,
    link_id: linkId,
    side: side as 0 | 1,
    label: JSON.stringify(end.label),
  }))
  try {
    return await db.insertInto('link_ends').values(rows).returningAll().execute()
  } catch (error) {
    if (!isUniqueViolation(error, 'link_ends_port_key')) throw error
    throw new AppError('conflict', 'Port is already used', { cause: error })
  }
}

/** What is undefined stays as it is. */
export interface LinkChanges {
  readonly filters?: FilterSet | undefined
  readonly is_suspended?: boolean | undefined
  readonly link_style?: Record<string, unknown> | undefined
  readonly capture_file_name?: string | undefined
}

export async function updateLink(
  db: LinksDb,
  id: string,
  { filters, link_style, ...changes }: LinkChanges,
): Promise<void> {
  const set = {
    ...changes,
    filters: filters && JSON.stringify(filters),
    link_style: link_style && JSON.stringify(link_style),
  }
  const isChange = Object.values(set).some((value) => value !== undefined)
  if (isChange) await db.updateTable('links').set(set).where('id', '=', id).execute()
}

/** Replaces the label beside a node's port; nodes that are not on the link are nobody's. */
export async function updateLabel(
  db: LinksDb,
  linkId: string,
  { nodeId, label }: { nodeId: string; label: PortLabel },
): Promise<void> {
  await db
    .updateTable('link_ends')
    .set({ label: JSON.stringify(label) })
    .where('link_id', '=', linkId)
    .where('node_id', '=', nodeId)
    .execute()
}

export async function deleteLink(db: LinksDb, id: string): Promise<void> {
  await db.deleteFrom('links').where('id', '=', id).execute()
}

export async function findLink(db: LinksDb, projectId: string, id: string): Promise<Link | undefined> {
  const [link] = await withEnds(
    db,
    await db.selectFrom('links').selectAll().where('id', '=', id).where('project_id', '=', projectId).execute(),
  )
  return link
}

/** Whatever project it is in. */
export async function findLinkById(db: LinksDb, id: string): Promise<Link | undefined> {
  const [link] = await withEnds(db, await db.selectFrom('links').selectAll().where('id', '=', id).execute())
  return link
}

export async function listLinks(db: LinksDb, projectId: string): Promise<Link[]> {
  return withEnds(
    db,
    await db.selectFrom('links').selectAll().where('project_id', '=', projectId).orderBy('seq').execute(),
  )
}

export async function listLinksOfNode(db: LinksDb, nodeId: string): Promise<Link[]> {
  const rows = await db
    .selectFrom('links')
    .selectAll()
    .where('id', 'in', (sub) => sub.selectFrom('link_ends').select('link_id').where('node_id', '=', nodeId))
    .orderBy('seq')
    .execute()
  return withEnds(db, rows)
}

async function withEnds(db: LinksDb, links: readonly LinkRow[]): Promise<Link[]> {
  if (links.length === 0) return []
  const ends = await db
    .selectFrom('link_ends')
    .selectAll()
    .where(({ eb, val }) => eb('link_id', '=', eb.fn.any(val(links.map(({ id }) => id)))))
    .orderBy('side')
    .execute()
  const byLink = Map.groupBy(ends, ({ link_id }) => link_id)
  // a link without ends was deleted between the two questions
  return links.flatMap((link) => {
    const [first, second] = byLink.get(link.id) ?? []
    return first === undefined || second === undefined ? [] : [{ ...link, ends: [first, second] as const }]
  })
}
