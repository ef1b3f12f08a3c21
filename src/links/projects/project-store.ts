import { sql } from 'kysely'
import { type Db, isUniqueViolation } from '../../platform/db/database.ts'
import { AppError } from '../../platform/errors.ts'
import type { LinksTables, ProjectRow } from '../tables.ts'

type LinksDb = Db<LinksTables>

export interface NewProject {
  readonly id: string
  readonly name: string
  readonly owner_id: number | null
  readonly settings: Record<string, unknown>
  readonly is_open?: boolean
}

export async function insertProject(db: LinksDb, { settings, ...project }: NewProject): Promise<ProjectRow> {
  return refuseTakenName(project.name, () =>
    db
      .insertInto('projects')
      .values({ ...project, settings: JSON.stringify(settings) })
      .returningAll()
      .executeTakeFirstOrThrow(),
  )
}

export interface ProjectChanges {
  readonly name?: string | undefined
  readonly settings?: Record<string, unknown>
  readonly is_open?: boolean
}

export async function updateProject(
  db: LinksDb,
  id: string,
  { name, settings, is_open }: ProjectChanges,
): Promise<ProjectRow> {
  const changes = {
    ...(name === undefined ? {} : { name }),
    ...(is_open === undefined ? {} : { is_open }),
    ...(settings === undefined ? {} : { settings: JSON.stringify(settings) }),
  }
  return refuseTakenName(name ?? '', () =>
    db.updateTable('projects').set(changes).where('id', '=', id).returningAll().executeTakeFirstOrThrow(),
  )
}

async function refuseTakenName(name: string, write: () => Promise<ProjectRow>): Promise<ProjectRow> {
  try {
    return await write()
  } catch (error) {
    if (!isUniqueViolation(error, 'projects_name_key')) throw error
    throw new AppError('conflict', `Cannot save project "${name}": the name is taken`, { cause: error })
  }
}

export async function findProject(db: LinksDb, id: string): Promise<ProjectRow | undefined> {
  return db.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirst()
}

/** All projects, or those that a user owns or was let into. */
export async function listProjects(db: LinksDb, userId?: number): Promise<ProjectRow[]> {
  const query = db.selectFrom('projects').selectAll().orderBy('name')
  if (userId === undefined) return query.execute()
  return query
    .where(
      sql<boolean>`(owner_id = ${userId} or id in (select project_id from project_members where user_id = ${userId}))`,
    )
    .execute()
}

/** Those that are closed, and want to be opened when the server starts. */
export async function listProjectsToOpen(db: LinksDb): Promise<ProjectRow[]> {
  return db
    .selectFrom('projects')
    .selectAll()
    .where('is_open', '=', false)
    .where(sql<boolean>`settings @> '{"auto_open": true}'`)
    .orderBy('name')
    .execute()
}

export interface ProjectStatistics {
  readonly nodes: number
  readonly links: number
  readonly drawings: number
  readonly snapshots: number
}

export async function countContent(db: LinksDb, projectId: string): Promise<ProjectStatistics> {
  const count = (table: 'nodes' | 'links' | 'drawings' | 'snapshots') =>
    sql<number>`(select count(*) from ${sql.table(table)} where project_id = ${projectId})`.as(table)
  return db
    .selectNoFrom([count('nodes'), count('links'), count('drawings'), count('snapshots')])
    .executeTakeFirstOrThrow()
}

export async function deleteProject(db: LinksDb, id: string): Promise<void> {
  await db.deleteFrom('links').where('project_id', '=', id).execute()
  await db.deleteFrom('projects').where('id', '=', id).execute()
}

export async function isMember(db: LinksDb, projectId: string, userId: number): Promise<boolean> {
  const row = await db
    .selectFrom('project_members')
    .select('user_id')
    .where('project_id', '=', projectId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row !== undefined
}

export async function listMembers(db: LinksDb, projectId: string): Promise<number[]> {
  const rows = await db
    .selectFrom('project_members')
    .select('user_id')
    .where('project_id', '=', projectId)
    .orderBy('user_id')
    .execute()
  return rows.map(({ user_id }) => user_id)
}

export async function insertMember(db: LinksDb, projectId: string, userId: number): Promise<void> {
  await db
    .insertInto('project_members')
    .values({ project_id: projectId, user_id: userId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function deleteMember(db: LinksDb, projectId: string, userId: number): Promise<void> {
  await db.deleteFrom('project_members').where('project_id', '=', projectId).where('user_id', '=', userId).execute()
}
