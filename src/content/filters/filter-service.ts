import type { Kysely, Transaction } from 'kysely'
import { Compile } from 'typebox/compile'
import type { Actor } from '../../platform/auth/actor.ts'
import { isForeignKeyViolation } from '../../platform/db/database.ts'
import { invalidField, notFound } from '../../platform/errors.ts'
import type { Listed, ListRequest } from '../../platform/search/list-request.ts'
import type { OrganizationAccess } from '../organizations/organization-access.ts'
import type { ContentTables } from '../tables.ts'
import { contentTypes } from '../types/index.ts'
import type { AttributeValues, UnitFilterKind } from '../unit-filter.ts'
import type { ViewRow } from '../view-tables.ts'
import { findView } from '../views/view-store.ts'
import {
  deleteFilter,
  deleteRule,
  type FilterRule,
  findFilter,
  insertFilter,
  insertRule,
  listFilters,
  listRules,
  listStrangers,
  saveFilterRepositories,
  updateFilter,
  updateRule,
  type ViewFilter,
  type WantedRules,
} from './filter-store.ts'

/** Only what is given is changed. */
export interface FilterChange {
  readonly name?: string | undefined
  readonly description?: string | null | undefined
  readonly isInclusion?: boolean | undefined
  readonly repositoryIds?: readonly number[] | null | undefined
  /** Which options of its type are to be on or off. */
  readonly options?: Readonly<Record<string, boolean>>
}

export type NewFilter = FilterChange & { readonly name: string; readonly type: string }

/** A rule of a filter, by their ids. */
export interface RuleKey {
  readonly filterId: number
  readonly id: number
}

export interface FilterServiceParts {
  readonly db: Kysely<ContentTables>
  readonly access: OrganizationAccess
}

const editing = { role: 'editor', permission: 'edit_content_views' } as const

/** What content views leave out of what they publish. */
export class FilterService {
  readonly #parts: FilterServiceParts

  constructor(parts: FilterServiceParts) {
    this.#parts = parts
  }

  async listFilters(
    actor: Actor,
    filter: { readonly viewId: number; readonly name?: string | undefined },
    request: ListRequest,
  ): Promise<Listed<ViewFilter>> {
    await this.#visibleView(actor, filter.viewId)
    return listFilters(this.#parts.db, filter, request)
  }

  /** @throws AppError `not_found`, also when it belongs to another view than the one that is asked for */
  async getFilter(actor: Actor, id: number, viewId?: number): Promise<ViewFilter> {
    const filter = await findFilter(this.#parts.db, id)
    if (filter === undefined || (viewId ?? filter.view_id) !== filter.view_id) throw notFound('content view filter', id)
    await this.#visibleView(actor, filter.view_id).catch(() => {
      throw notFound('content view filter', id)
    })
    return filter
  }

  async createFilter(actor: Actor, viewId: number, { type, ...wanted }: NewFilter): Promise<ViewFilter> {
    await this.#editableView(actor, viewId)
    const id = await this.#parts.db.transaction().execute(async (tx) => {
      const { name, description = null, isInclusion = false, repositoryIds } = wanted
      const options = changedOptions({ type, options: [] }, wanted.options)
      const row = { view_id: viewId, type, name, description, is_inclusion: isInclusion, options }
      const inserted = await insertFilter(tx, row).catch((error: unknown) => {
        throw isForeignKeyViolation(error) ? notFound('content view', viewId) : error
      })
      await this.#saveRepositories(tx, { id: inserted, viewId, repositoryIds })
      return inserted
    })
    return this.getFilter(actor, id)
  }

  async updateFilter(
    actor: Actor,
    id: number,
    change: FilterChange & { readonly viewId?: number },
  ): Promise<ViewFilter> {
    const filter = await this.#editableFilter(actor, id, change.viewId)
    const { name, description, isInclusion, repositoryIds } = change
    const attributes = {
      ...(name === undefined ? {} : { name }),
      ...(description === undefined ? {} : { description }),
      ...(isInclusion === undefined ? {} : { is_inclusion: isInclusion }),
      options: changedOptions(filter, change.options),
    }
    await this.#parts.db.transaction().execute(async (tx) => {
      if (!(await updateFilter(tx, id, attributes))) throw notFound('content view filter', id)
      await this.#saveRepositories(tx, { id, viewId: filter.view_id, repositoryIds })
    })
    return this.getFilter(actor, id)
  }

  /** Gives what was deleted. */
  async deleteFilter(actor: Actor, id: number, viewId?: number): Promise<ViewFilter> {
    const filter = await this.#editableFilter(actor, id, viewId)
    await deleteFilter(this.#parts.db, id)
    return filter
  }

  async listRules(
    actor: Actor,
    wanted: WantedRules & { readonly filterId: number },
    request: ListRequest,
  ): Promise<Listed<FilterRule>> {
    await this.getFilter(actor, wanted.filterId)
    return listRules(this.#parts.db, wanted, request)
  }

  async getRule(actor: Actor, { filterId, id }: RuleKey): Promise<FilterRule> {
    return ruleOf(await this.getFilter(actor, filterId), id)
  }

  /** @throws AppError `invalid` for attributes that are not for the filter's type, or missing */
  async createRule(actor: Actor, filterId: number, given: AttributeValues): Promise<FilterRule> {
    const filter = await this.#editableFilter(actor, filterId)
    const attributes = withoutNulls(given)
    checkAttributes(filter, attributes)
    const id = await insertRule(this.#parts.db, filterId, attributes).catch((error: unknown) => {
      throw isForeignKeyViolation(error) ? notFound('content view filter', filterId) : error
    })
    return { id, type: filter.type, attributes }
  }

  async updateRule(actor: Actor, { filterId, id }: RuleKey, change: AttributeValues): Promise<FilterRule> {
    const filter = await this.#editableFilter(actor, filterId)
    const attributes = withoutNulls({ ...ruleOf(filter, id).attributes, ...change })
    checkAttributes(filter, attributes)
    await updateRule(this.#parts.db, id, attributes)
    return { id, type: filter.type, attributes }
  }

  /** Gives what was deleted. */
  async deleteRule(actor: Actor, { filterId, id }: RuleKey): Promise<FilterRule> {
    const rule = ruleOf(await this.#editableFilter(actor, filterId), id)
    await deleteRule(this.#parts.db, id)
    return rule
  }

  async #saveRepositories(
    tx: Transaction<ContentTables>,
    { id, viewId, repositoryIds }: { id: number; viewId: number; repositoryIds: readonly number[] | null | undefined },
  ): Promise<void> {
    if (repositoryIds === undefined || repositoryIds === null) return
    const strangers = await listStrangers(tx, viewId, repositoryIds)
    if (strangers.length > 0)
      throw invalidField(
        'repository_ids',
        `must be repositories of the content view; these are not: ${strangers.join(', ')}`,
      )
    await saveFilterRepositories(tx, id, repositoryIds)
  }

  async #editableFilter(actor: Actor, id: number, viewId?: number): Promise<ViewFilter> {
    const filter = await this.getFilter(actor, id, viewId)
    await this.#editableView(actor, filter.view_id)
    return filter
  }

  async #editableView(actor: Actor, id: number): Promise<void> {
    const view = await this.#visibleView(actor, id)
    await this.#parts.access.requireRole(actor, view.organization_id, editing)
    if (view.is_default || view.is_composite)
      throw invalidField('content_view_id', 'must not be a default or a composite content view: these have no filters')
  }

  async #visibleView(actor: Actor, id: number): Promise<ViewRow> {
    const { db, access } = this.#parts
    const view = await findView(db, id)
    if (view === undefined || !(await access.canView(actor, view.organization_id))) throw notFound('content view', id)
    return view
  }
}

function ruleOf({ rules }: ViewFilter, id: number): FilterRule {
  const rule = rules.find((each) => each.id === id)
  if (rule === undefined) throw notFound('content view filter rule', id)
  return rule
}

const kinds: ReadonlyMap<string, UnitFilterKind> = new Map(
  contentTypes.flatMap(({ filters = [] }) => filters.map((kind) => [kind.name, kind])),
)

function checkAttributes({ type }: ViewFilter, attributes: AttributeValues): void {
  const { rule, checkRule } = kinds.get(type) as UnitFilterKind
  const stranger = Object.keys(attributes).find((name) => !Object.hasOwn(rule.properties, name))
  if (stranger !== undefined) throw invalidField(stranger, `is not for filters of type ${type}`)
  const missing = (rule.required ?? []).find((name) => attributes[name] === undefined)
  if (missing !== undefined) throw invalidField(missing, `must be given in rules of filters of type ${type}`)
  if (!Compile(rule).Check(attributes)) throw invalidField('base', `is no rule of filters of type ${type}`)
  const [problem] = Object.entries(checkRule?.(attributes) ?? {})
  if (problem !== undefined) throw invalidField(problem[0], problem[1][0] ?? 'is wrong')
}

/** Null takes back what was said. */
function withoutNulls(attributes: AttributeValues): AttributeValues {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== null))
}

/** The options of a filter's type that are on. */
function changedOptions(
  { type, options }: Pick<ViewFilter, 'type' | 'options'>,
  change: Readonly<Record<string, boolean>> = {},
): string[] {
  const known = optionsOf(type)
  const stranger = Object.keys(change).find((name) => !known.includes(name))
  if (stranger !== undefined) throw invalidField(stranger, `is not for filters of type ${type}`)
  return known.filter((name) => change[name] ?? options.includes(name))
}

/** Values that follow from what a rule says, for answers. */
export function derivedOf({ type, attributes }: FilterRule): AttributeValues {
  return kinds.get(type)?.derive?.(attributes) ?? {}
}

/** What may be said of filters of a type besides their rules. */
export function optionsOf(type: string): string[] {
  return Object.keys(kinds.get(type)?.options ?? {})
}
