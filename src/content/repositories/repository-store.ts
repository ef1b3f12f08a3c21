import { sql } from 'kysely'
import { type Db, isUniqueViolation } from '../../platform/db/database.ts'
import { AppError } from '../../platform/errors.ts'
import type { RepositoryAttributes } from '../content-type.ts'
import type { ContentTables, RootRepositoryRow } from '../tables.ts'

type ContentDb = Db<ContentTables>

/** A repository row with its attributes and with whatever it belongs to. */
export interface RepositoryRecord extends Omit<RootRepositoryRow, 'id'> {
  readonly id: number
  readonly root_id: number
  readonly environment_id: number | null
  readonly environment_name: string | null
  readonly version_id: number
  readonly version_major: number
  readonly version_minor: number
  readonly view_id: number
  readonly view_name: string
  /** The repository in Library that this one is a copy of; null for those in Library. */
  readonly library_instance_id: number | null
  readonly set_id: number
  /** The version of the set that this is: the latest one in Library, always the same in a copy. */
  readonly set_version: number
  readonly published_version: number | null
  readonly counts: Record<string, number>
  readonly relative_path: string
  readonly sync_state: Record<string, unknown> | null
  readonly last_contents_changed: Date | null
  readonly product_name: string
  readonly product_label: string
  readonly organization_id: number
  readonly organization_name: string
  readonly organization_label: string
  readonly last_sync_task_id: string | null
}

/**
 * Repositories with whatever they belong to, in tables that are called r, root, p, o, s, v, n, w, e and pub. Only in e and pub
 * there may be nothing for a repository, but the database leaves out what nobody asks for only where all joins are outer ones.
 */
export function joinTables(db: ContentDb) {
  return db
    .selectFrom('repositories as r')
    .leftJoin('root_repositories as root', 'root.id', 'r.root_id')
    .leftJoin('products as p', 'p.id', 'root.product_id')
    .leftJoin('organizations as o', 'o.id', 'p.organization_id')
    .leftJoin('content_sets as s', 's.id', 'r.set_id')
    .leftJoin('content_set_versions as v', (join) =>
      join.onRef('v.set_id', '=', 's.id').on('v.number', '=', sql<number>`coalesce(r.set_version, s.latest_version)`),
    )
    .leftJoin('content_view_versions as n', 'n.id', 'r.version_id')
    .leftJoin('content_views as w', 'w.id', 'n.view_id')
    .leftJoin('environments as e', 'e.id', 'r.environment_id')
    .leftJoin('publications as pub', 'pub.id', 'r.publication_id')
}

/** The tables are called as in `joinTables`. */
export function selectRecords(db: ContentDb) {
  return joinTables(db).select(columns).select(sql<number>`v.number`.as('set_version')).$castTo<RepositoryRecord>()
}

const columns = [
  'root.product_id',
  'root.name',
  'root.label',
  'root.description',
  'root.content_type',
  'root.url',
  'root.unprotected',
  'root.mirror_on_sync',
  'root.verify_ssl_on_sync',
  'root.download_concurrency',
  'root.upstream_username',
  'root.upstream_password_sealed',
  'root.checksum_type',
  'root.download_policy',
  'root.arch',
  'root.gpg_key_id',
  'root.ssl_ca_cert_id',
  'root.ssl_client_cert_id',
  'root.ssl_client_key_id',
  'root.http_proxy_policy',
  'root.http_proxy_id',
  'root.type_attributes',
  'root.created_at',
  'root.updated_at',
  'r.id',
  'r.root_id',
  'r.environment_id',
  'e.name as environment_name',
  'r.version_id',
  'n.major as version_major',
  'n.minor as version_minor',
  'w.id as view_id',
  'w.name as view_name',
  'r.library_instance_id',
  'r.set_id',
  'pub.set_version as published_version',
  'v.counts',
  'r.relative_path',
  'r.sync_state',
  'r.last_contents_changed',
  'r.last_sync_task_id',
  'p.name as product_name',
  'p.label as product_label',
  'o.id as organization_id',
  'o.name as organization_name',
  'o.label as organization_label',
] as const

export async function findRepository(db: ContentDb, id: number): Promise<RepositoryRecord | undefined> {
  const [record] = await findRepositories(db, [id])
  return record
}

/** Those of these repositories that there are, in the same order. */
export async function findRepositories(db: ContentDb, ids: readonly number[]): Promise<RepositoryRecord[]> {
  if (ids.length === 0) return []
  const records = await selectRecords(db)
    .where(sql<boolean>`r.id = any(${[...ids]}::bigint[])`)
    .execute()
  const byId = new Map(records.map((record) => [record.id, record]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/** What the type of a repository is told of it. */
export function attributesOf({ type_attributes: own, checksum_type }: RepositoryRecord): RepositoryAttributes {
  return { ...own, checksum_type }
}

/** The repositories of a product in Library, the oldest first. */
export async function listRepositoriesOf(
  db: ContentDb,
  productId: number,
): Promise<{ readonly id: number; readonly root_id: number; readonly name: string; readonly url: string | null }[]> {
  return db
    .selectFrom('root_repositories as root')
    .innerJoin('repositories as r', 'r.root_id', 'root.id')
    .select(['r.id', 'r.root_id', 'root.name', 'root.url'])
    .where('root.product_id', '=', productId)
    .where('r.library_instance_id', 'is', null)
    .orderBy('r.id')
    .execute()
}

/** The repository that is served at this path on the content listener. */
export async function findRepositoryByPath(db: ContentDb, relativePath: string) {
  return db
    .selectFrom('repositories as r')
    .innerJoin('root_repositories as root', 'root.id', 'r.root_id')
    .innerJoin('products as p', 'p.id', 'root.product_id')
    .leftJoin('publications as pub', 'pub.id', 'r.publication_id')
    .select(['r.id', 'r.set_id', 'r.publication_id', 'r.last_contents_changed', 'root.unprotected'])
    .select(['pub.set_version', 'p.organization_id'])
    .where('r.relative_path', '=', relativePath)
    .executeTakeFirst()
}

/** What may be changed of a root repository besides its name. */
export type RootAttributes = Omit<
  RootRepositoryRow,
  'id' | 'created_at' | 'updated_at' | 'product_id' | 'name' | 'label' | 'content_type'
>

type Stored<T> = Omit<T, 'type_attributes'> & { readonly type_attributes: string }

/** The columns of attributes as they are written. */
export type StoredAttributes = Stored<RootAttributes>

export type NewRootRepository = StoredAttributes &
  Pick<RootRepositoryRow, 'product_id' | 'name' | 'label' | 'content_type'>

export async function insertRootRepository(db: ContentDb, root: NewRootRepository): Promise<number> {
  try {
    const { id } = await db.insertInto('root_repositories').values(root).returning('id').executeTakeFirstOrThrow()
    return id
  } catch (error) {
    throw refusal(error, root)
  }
}

/** Locks a root repository against other changes until the transaction ends. Undefined when it is gone. */
export async function lockRootRepository(tx: ContentDb, rootId: number): Promise<RootRepositoryRow | undefined> {
  return tx.selectFrom('root_repositories').selectAll().where('id', '=', rootId).forUpdate().executeTakeFirst()
}

/** Replaces the name and all attributes of one that is locked. */
export async function updateRootRepository(
  db: ContentDb,
  rootId: number,
  root: StoredAttributes & { readonly name: string },
): Promise<void> {
  try {
    await db
      .updateTable('root_repositories')
      .set({ ...root, updated_at: sql`now()` })
      .where('id', '=', rootId)
      .execute()
  } catch (error) {
    throw refusal(error, { ...root, label: '' })
  }
}

/**
 * Keeps a repository from being deleted until the transaction ends, and makes who adds a task for it wait for who deletes it.
 * False when it is gone.
 */
export async function lockRepository(tx: ContentDb, id: number): Promise<boolean> {
  const row = await tx.selectFrom('repositories').select('id').where('id', '=', id).forUpdate().executeTakeFirst()
  return row !== undefined
}

/** Deletes a root repository with all that is served of it, also its copies. What its versions held is left to housekeeping. */
export async function deleteRootRepository(tx: ContentDb, rootId: number): Promise<void> {
  const sets = await tx.selectFrom('repositories').select('set_id').where('root_id', '=', rootId).execute()
  await tx.deleteFrom('remote_files').where('root_id', '=', rootId).execute()
  await tx.deleteFrom('root_repositories').where('id', '=', rootId).execute()
  const setIds = [...new Set(sets.map(({ set_id }) => set_id))]
  await sql`delete from content_sets where id = any(${setIds}::bigint[])`.execute(tx)
}

function refusal(error: unknown, root: { readonly name: string; readonly label: string }): unknown {
  for (const field of ['name', 'label'] as const) {
    if (isUniqueViolation(error, `root_repositories_${field}_key`)) return taken(field, root[field], error)
  }
  return error
}

function taken(field: string, value: string, cause: unknown): AppError {
  return new AppError('invalid', `Validation failed: the ${field} "${value}" is taken in this product`, {
    cause,
    fields: { [field]: ['has already been taken'] },
  })
}

/** A repository in Library. */
export interface NewRepository {
  readonly root_id: number
  readonly environment_id: number
  readonly version_id: number
  readonly set_id: number
  readonly relative_path: string
}

export async function insertRepository(db: ContentDb, repository: NewRepository): Promise<number> {
  const { id } = await db.insertInto('repositories').values(repository).returning('id').executeTakeFirstOrThrow()
  return id
}

export async function setLastSyncTask(db: ContentDb, repositoryId: number, taskId: string): Promise<void> {
  await db.updateTable('repositories').set({ last_sync_task_id: taskId }).where('id', '=', repositoryId).execute()
}

/** Those of these tasks that are the last sync of a repository. */
export async function findLastSyncs(db: ContentDb, taskIds: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('repositories')
    .select('last_sync_task_id')
    .where('last_sync_task_id', 'in', taskIds)
    .execute()
  return new Set(rows.flatMap(({ last_sync_task_id: id }) => (id === null ? [] : [id])))
}

export async function setSyncState(db: ContentDb, repositoryId: number, state: Record<string, unknown>): Promise<void> {
  await db
    .updateTable('repositories')
    .set({ sync_state: JSON.stringify(state) })
    .where('id', '=', repositoryId)
    .execute()
}
