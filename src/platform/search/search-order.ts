import { type RawBuilder, sql } from 'kysely'
import { unsearchable } from './search-error.ts'
import { getField, type Searchable } from './search-fields.ts'

/** An order as it was asked for; null where nothing was said. */
export interface Sort {
  readonly by: string | null
  readonly order: string | null
}

/**
 * Gives what stands behind ORDER BY. Every direction but `desc` means ascending. Nothing comes before everything, and after it
 * when descending.
 *
 * @throws AppError `unsearchable` when the list has no such field, or cannot be ordered by it
 */
export function searchOrder({ fields, order, id }: Searchable, sort: Sort): RawBuilder<unknown> {
  const field = getField(fields, sort.by ?? order.by)
  if (field.some !== undefined)
    throw unsearchable(`rows have more than one ${field.names[0]} and cannot be ordered by it`)
  const direction = sort.by === null && sort.order === null ? order.direction : sort.order
  const expression = field.rank?.expression ?? field.expression
  return direction?.toLowerCase() === 'desc'
    ? sql`${expression} desc nulls last, ${id} desc`
    : sql`${expression} asc nulls first, ${id} desc`
}
