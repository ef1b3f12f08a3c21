import type { Transaction } from 'kysely'
import { invalidField } from '../../platform/errors.ts'
import type { ContentTables } from '../tables.ts'
import type { ViewRow } from '../view-tables.ts'
import { lockPartSources, type Part, type PartSource, saveComponents } from './component-store.ts'
import { lockLibraryRepositories, saveSelection } from './view-selection-store.ts'

type Tx = Transaction<ContentTables>

/** A view, its latest version when none is named, or a version. */
export interface WantedPart {
  readonly viewId?: number | undefined
  readonly versionId?: number | undefined
}

/** What a view is to be published from; what is undefined stays as it is. */
export interface ViewContents {
  readonly repositoryIds?: readonly number[] | undefined
  readonly componentIds?: readonly number[] | undefined
}

/** Changes what a view that is locked is published from. */
export async function saveContents(
  tx: Tx,
  view: ViewRow,
  { repositoryIds, componentIds }: ViewContents,
): Promise<void> {
  if (view.is_composite && repositoryIds !== undefined && repositoryIds.length > 0)
    throw invalidField('repository_ids', 'must be empty: a composite view is made of other views')
  if (!view.is_composite && componentIds !== undefined && componentIds.length > 0)
    throw invalidField('component_ids', 'must be empty: only composite views are made of other views')
  if (!view.is_composite && repositoryIds !== undefined) {
    await refuseOthers(tx, view, repositoryIds)
    await saveSelection(tx, view.id, [...new Set(repositoryIds)])
  }
  if (view.is_composite && componentIds !== undefined) {
    const wanted = [...new Set(componentIds)].map((versionId) => ({ versionId }))
    await saveComponents(tx, view.id, await findParts(tx, view, { field: 'component_ids', wanted }))
  }
}

async function refuseOthers(tx: Tx, { organization_id }: ViewRow, ids: readonly number[]): Promise<void> {
  const known = await lockLibraryRepositories(tx, organization_id, ids)
  const bad = ids.filter((id) => !known.has(id))
  if (bad.length === 0) return
  const verb = bad.length === 1 ? 'is' : 'are'
  throw invalidField(
    'repository_ids',
    `must be repositories in Library of the same organization: ${bad.join(', ')} ${verb} not`,
  )
}

/**
 * Finds what a composite view is to be made of. What is found is not deleted until the transaction ends.
 *
 * @throws AppError `invalid` naming the field
 */
export async function findParts(
  tx: Tx,
  composite: ViewRow,
  { field, wanted }: { readonly field: string; readonly wanted: readonly WantedPart[] },
): Promise<Part[]> {
  const given = (ids: readonly (number | undefined)[]) => ids.filter((id) => id !== undefined)
  const sources = await lockPartSources(tx, {
    viewIds: given(wanted.map(({ viewId }) => viewId)),
    versionIds: given(wanted.map(({ versionId }) => versionId)),
  })
  const parts = wanted.map((part) => {
    const source = sourceOf(sources, part)
    const problem = problemOf(source, composite, part)
    if (problem !== undefined) throw invalidField(field, problem)
    return { viewId: (source as PartSource).viewId, versionId: part.versionId ?? null }
  })
  const viewIds = parts.map(({ viewId }) => viewId)
  const twice = viewIds.find((id, index) => viewIds.indexOf(id) !== index)
  if (twice !== undefined) throw invalidField(field, `must not name the content view ${twice} more than once`)
  return parts
}

function sourceOf(sources: readonly PartSource[], { viewId, versionId }: WantedPart): PartSource | undefined {
  if (versionId === undefined) return sources.find((source) => source.versionId === null && source.viewId === viewId)
  return sources.find((source) => source.versionId === versionId && [undefined, source.viewId].includes(viewId))
}

function problemOf(
  source: PartSource | undefined,
  { organization_id }: ViewRow,
  { viewId, versionId }: WantedPart,
): string | undefined {
  const words = versionId === undefined ? `content view ${viewId}` : `content view version ${versionId}`
  if (source === undefined || source.organizationId !== organization_id)
    return `must name content views of the same organization, or versions of them: there is no ${words}`
  if (source.isComposite) return `must not name composite views: ${words} is one`
  if (source.isDefault) return `must not name the default view: ${words} is it`
  return undefined
}
