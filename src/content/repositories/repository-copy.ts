import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { AppError, invalidField } from '../../platform/errors.ts'
import type { ContentTables } from '../tables.ts'
import type { RepositoryRecord } from './repository-store.ts'

/** @throws AppError `invalid` for what a version of a content view holds: it never changes */
export function refuseCopy(repository: RepositoryRecord): void {
  const { library_instance_id: original, view_name, version_major, version_minor } = repository
  if (original === null) return
  const version = `version ${version_major}.${version_minor} of the content view "${view_name}"`
  throw invalidField('id', `belongs to ${version}, which never changes; it is a copy of repository ${original}`)
}

/** Which copies of a repository go with it: none may be there, or only archived ones. */
export type DeletableCopies = 'none' | 'archived'

interface Holder {
  readonly repository: string
  readonly view: string
  readonly version: string
  readonly environments: readonly string[]
}

const namedHolders = 20

/** @throws AppError `conflict` that names one of the repositories and the versions of content views that hold copies of it */
export async function refuseHeld(
  db: Db<ContentTables>,
  repositoryIds: readonly number[],
  deletable: DeletableCopies,
): Promise<void> {
  const holders = await listHolders(db, repositoryIds)
  const found = deletable === 'none' ? holders : holders.filter(({ environments }) => environments.length > 0)
  const [first] = found
  if (first === undefined) return
  const holding = found.filter(({ repository }) => repository === first.repository)
  const names = holding
    .slice(0, namedHolders)
    .map(({ view, version, environments: places }) =>
      [`${view} ${version}`, ...places.map((place) => `in ${place}`)].join(' '),
    )
  const more = holding.length > namedHolders ? ` and ${holding.length - namedHolders} more` : ''
  const advice = deletable === 'none' ? 'delete them first, or force it' : 'remove them from their environments first'
  throw new AppError(
    'conflict',
    `Cannot delete the repository "${first.repository}": versions of content views hold it (${names.join(', ')}${more}); ${advice}`,
  )
}

async function listHolders(db: Db<ContentTables>, repositoryIds: readonly number[]): Promise<Holder[]> {
  const { rows } = await sql<Holder>`
    select root.name as repository, w.name as view, n.major || '.' || n.minor as version,
      array_remove(array_agg(e.name order by e.name), null) as environments
    from repositories c
    join root_repositories root on root.id = c.root_id
    join content_view_versions n on n.id = c.version_id join content_views w on w.id = n.view_id
    left join environments e on e.id = c.environment_id
    where c.library_instance_id = any(${repositoryIds as number[]}::bigint[])
    group by root.id, w.name, n.major, n.minor order by root.name, w.name, n.major, n.minor`.execute(db)
  return rows
}
