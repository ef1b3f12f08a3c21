import { invalidField } from '../../platform/errors.ts'
import type { Place } from './lifecycle-store.ts'

interface Promotion {
  /** Where a version is to be shown. */
  readonly environmentIds: readonly number[]
  /** Where it is. */
  readonly present: readonly number[]
  readonly isForced: boolean
}

/**
 * Gives the wanted environments in the order of their paths. Each must be Library or follow one in which the version is, or
 * which it reaches by the same promotion; unless it is forced.
 *
 * @throws AppError `invalid` naming `environment_ids`
 */
export function refuseOutOfSequence(
  places: readonly Place[],
  { environmentIds, present, isForced }: Promotion,
): number[] {
  const unknown = environmentIds.find((wanted) => !places.some(({ id }) => id === wanted))
  if (unknown !== undefined)
    throw invalidField('environment_ids', `must be environments of the organization; ${unknown} is not`)
  const reached = new Set(present)
  const ordered = places.filter(({ id }) => environmentIds.includes(id))
  for (const { id, name, priorId } of ordered) {
    if (!(isForced || priorId === null || reached.has(priorId))) {
      const prior = places.find((place) => place.id === priorId)
      throw invalidField(
        'environment_ids',
        `cannot have "${name}" before "${prior?.name}"; force it to leave the sequence`,
      )
    }
    reached.add(id)
  }
  return ordered.map(({ id }) => id)
}
