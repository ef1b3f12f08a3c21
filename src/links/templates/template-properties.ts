import { AppError, invalidField } from '../../platform/errors.ts'
import type { NodeKind } from '../nodes/node-kind.ts'

type Values = Readonly<Record<string, unknown>>

/**
 * Gives what a template keeps of given properties: those that the kind has and that are not null.
 *
 * @throws AppError `invalid` naming the property, which in a template stands at the top
 */
export function checkTemplateProperties(kind: NodeKind, given: Values): Record<string, unknown> {
  const isKept = ([key, value]: [string, unknown]) => value !== null && Object.hasOwn(kind.templateProperties, key)
  const kept = Object.fromEntries(Object.entries(given).filter(isKept))
  try {
    kind.checkProperties(nodeProperties(kept))
  } catch (error) {
    throw error instanceof AppError && error.fields !== undefined ? atTop(error) : error
  }
  return kept
}

/** @throws AppError `invalid` for a property that the kind has not */
export function refuseUnknown({ templateProperties }: NodeKind, given: Values): void {
  const unknown = Object.keys(given).find((key) => !Object.hasOwn(templateProperties, key))
  if (unknown !== undefined) throw invalidField(unknown, 'is not known here')
}

/** What the nodes of a template are given: what is empty is left to their kind. */
export function nodeProperties(properties: Values): Record<string, unknown> {
  return Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== ''))
}

function atTop({ code, fields = {} }: AppError): AppError {
  const named = Object.fromEntries(
    Object.entries(fields).map(([field, messages]) => [field.replace(/^properties\./, ''), messages]),
  )
  const text = Object.entries(named).map(([field, messages]) => `${field} ${messages.join(', ')}`)
  return new AppError(code, `Validation failed: ${text.join('; ')}`, { fields: named })
}
