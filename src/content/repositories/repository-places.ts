import { type RawBuilder, sql } from 'kysely'

type Condition = RawBuilder<boolean>

/** Where the repositories of a list are. */
export interface RepositoryPlaces {
  readonly environmentId?: number | undefined
  readonly viewId?: number | undefined
  readonly viewVersionId?: number | undefined
  /** The repositories in Library that the found ones come from, instead of these. */
  readonly isLibrary?: boolean | undefined
  /** Only what no environment shows; heard together with a version of a view. */
  readonly isArchived?: boolean | undefined
  /** What a view can be given, or what versions of views show somewhere. */
  readonly availableFor?: 'content_view' | 'content_view_version' | undefined
}

/**
 * The condition that a repository, whose table is called r, is at these places. Nothing given means those in Library; a view
 * alone means what it is published from; a version, an environment or both mean copies, and those in Library where they
 * are there.
 */
export function isAtPlaces(places: RepositoryPlaces): Condition {
  const { viewId, isLibrary, availableFor } = places
  const isOffered = availableFor === 'content_view'
  const conditions = [
    ...(isPlaced(places)
      ? [placed(places, isLibrary === true || isOffered)]
      : [sql<boolean>`r.library_instance_id is null`]),
    ...(isOffered && viewId !== undefined ? [canBeGiven(viewId)] : []),
    ...(!isOffered && !isPlaced(places) && viewId !== undefined ? [isSelected(viewId)] : []),
  ]
  return sql`${sql.join(conditions, sql` and `)}`
}

/** Whether anything says where copies are. */
function isPlaced({ environmentId, viewVersionId, availableFor }: RepositoryPlaces): boolean {
  return environmentId !== undefined || viewVersionId !== undefined || availableFor === 'content_view_version'
}

function placed(places: RepositoryPlaces, wantsLibrary: boolean): Condition {
  if (!wantsLibrary) return areAt('r', places)
  return sql`r.id in (select coalesce(c.library_instance_id, c.id) from repositories c where ${areAt('c', places)})`
}

function areAt(table: 'r' | 'c', { environmentId, viewId, viewVersionId, isArchived, availableFor }: RepositoryPlaces) {
  const column = (name: string) => sql.ref(`${table}.${name}`)
  const conditions = [
    ...(environmentId === undefined ? [] : [sql`${column('environment_id')} = ${environmentId}`]),
    ...(viewVersionId === undefined ? [] : [sql`${column('version_id')} = ${viewVersionId}`]),
    ...(viewId === undefined || availableFor === 'content_view'
      ? []
      : [sql`${column('version_id')} in ${versionsOf(viewId)}`]),
    ...(isArchived === true && viewVersionId !== undefined ? [sql`${column('environment_id')} is null`] : []),
    ...(availableFor === 'content_view_version' ? [sql`${column('environment_id')} is not null`] : []),
  ]
  return sql<boolean>`${sql.join(conditions, sql` and `)}`
}

function versionsOf(viewId: number): RawBuilder<unknown> {
  return sql`(select id from content_view_versions where view_id = ${viewId})`
}

/** Whether a repository in Library belongs to a view; the default view has all of its organization. */
function isSelected(viewId: number): Condition {
  return sql`(r.id in (select repository_id from content_view_repositories where view_id = ${viewId})
    or r.version_id in ${versionsOf(viewId)})`
}

/** The default view holds everything already. */
function canBeGiven(viewId: number): Condition {
  return sql`not ${isSelected(viewId)} and p.organization_id = (select organization_id from content_views where id = ${viewId})`
}
