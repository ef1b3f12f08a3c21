import type { Kysely } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import { notFound } from '../../platform/errors.ts'
import { type Listed, type ListRequest, listRequest } from '../../platform/search/list-request.ts'
import type { OrganizationAccess } from '../organizations/organization-access.ts'
import type { RepositoryService } from '../repositories/repository-service.ts'
import type { ContentTables } from '../tables.ts'
import {
  type Comparison,
  findHolders,
  type ListedKind,
  listUnits,
  type UnitFilter,
  type UnitRow,
} from './unit-list-store.ts'

export interface UnitServiceParts {
  readonly db: Kysely<ContentTables>
  readonly access: OrganizationAccess
  readonly repositories: RepositoryService
}

/** A unit with the versions of content views that hold it. */
export interface ComparedUnit {
  readonly row: UnitRow
  readonly viewVersionIds: readonly number[]
}

/** A unit with what only the record of a single one tells. */
export interface SingleUnit {
  readonly row: UnitRow
  readonly details: object
}

/** The units in the repositories that somebody sees. */
export class UnitService {
  readonly #parts: UnitServiceParts

  constructor(parts: UnitServiceParts) {
    this.#parts = parts
  }

  /** @throws AppError `not_found` when there is nothing of an id that is asked for */
  async listUnits(
    actor: Actor,
    kind: ListedKind,
    { filter, request }: { readonly filter: UnitFilter; readonly request: ListRequest },
  ): Promise<Listed<UnitRow>> {
    const { db, access, repositories } = this.#parts
    const { repositoryId, ...others } = filter
    const view = repositoryId === undefined ? undefined : await repositories.getRepository(actor, repositoryId)
    await repositories.requireScope(actor, filter)
    const isWhole = Object.values(others).every((value) => value === undefined)
    return listUnits(db, kind, {
      filter: { ...filter, setId: view?.repository.set_id, memberId: access.memberId(actor) },
      request: { ...request, knownTotal: isWhole ? view?.repository.counts[kind.kind] : undefined },
    })
  }

  /**
   * Gives the units that any of some versions of content views hold, each with the ids of those that do.
   *
   * @throws AppError `not_found` when there is nothing of an id that is asked for
   */
  async compareUnits(
    actor: Actor,
    kind: ListedKind,
    { comparison, request }: { readonly comparison: Comparison; readonly request: ListRequest },
  ): Promise<Listed<ComparedUnit>> {
    const { db, access, repositories } = this.#parts
    for (const viewVersionId of comparison.viewVersionIds) await repositories.requireScope(actor, { viewVersionId })
    if (comparison.libraryId !== undefined) await repositories.getRepository(actor, comparison.libraryId)
    const filter = { compared: comparison, memberId: access.memberId(actor) }
    const { rows, ...counts } = await listUnits(db, kind, { filter, request })
    const holders = await findHolders(db, { ...filter, ids: rows.map(({ unit_id: id }) => id) })
    return { rows: rows.map((row) => ({ row, viewVersionIds: holders.get(row.unit_id) ?? [] })), ...counts }
  }

  /** @throws AppError `not_found`, also when it is in no repository that the actor sees */
  async getUnit(
    actor: Actor,
    kind: ListedKind,
    { id, repositoryId }: { readonly id: number; readonly repositoryId?: number },
  ): Promise<SingleUnit> {
    const request = listRequest({}, 0)
    const { rows } = await this.listUnits(actor, kind, { filter: { ids: [id], repositoryId }, request })
    const [row] = rows
    if (row === undefined) throw notFound(kind.label, id)
    const details = await kind.list.describe?.(this.#parts.db as unknown as Kysely<unknown>, row)
    return { row, details: details ?? {} }
  }
}
