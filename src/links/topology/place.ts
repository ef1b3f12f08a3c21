import { AppError, invalidField } from '../../platform/errors.ts'

/** Where in a document something is: `topology.nodes[3]`. */
export type Place = string

/** Does a check of one part of a document; what it refuses is named by its place in the whole. */
export function inPlace<T>(place: Place, check: () => T): T {
  try {
    return check()
  } catch (error) {
    throw error instanceof AppError && error.code === 'invalid' ? placed(place, error) : error
  }
}

function placed(place: Place, { message, fields }: AppError): AppError {
  const named = Object.entries(fields ?? { base: [message] }).map(
    ([field, messages]) => [field === 'base' ? place : `${place}.${field}`, messages] as const,
  )
  const text = named.map(([field, messages]) => `${field} ${messages.join(', ')}`)
  return new AppError('invalid', `Validation failed: ${text.join('; ')}`, { fields: Object.fromEntries(named) })
}

/** Refuses a second of what there may be only one. */
export class Once {
  readonly #seen = new Set<string>()
  readonly #message: string

  constructor(message: string) {
    this.#message = message
  }

  /** @throws AppError `invalid` that names the place */
  add(key: string, place: Place): void {
    if (this.#seen.has(key)) throw invalidField(place, this.#message)
    this.#seen.add(key)
  }
}
