import type { Static, TObject } from 'typebox'
import { AppError } from '../../platform/errors.ts'
import { checker } from '../../platform/http/check.ts'

/** Checks the properties of a node of one kind; what is wrong is named as `properties.<path>`. */
export function propertyChecker<T extends TObject>(schema: T): (given: Readonly<Record<string, unknown>>) => Static<T> {
  const check = checker(schema, 'json')
  return (given) => {
    try {
      return check(given) as Static<T>
    } catch (error) {
      throw error instanceof AppError && error.fields !== undefined ? below('properties', error) : error
    }
  }
}

function below(parent: string, { code, fields = {} }: AppError): AppError {
  const named = Object.fromEntries(
    Object.entries(fields).map(([field, messages]) => [field === 'base' ? parent : `${parent}.${field}`, messages]),
  )
  const text = Object.entries(named).map(([field, messages]) => `${field} ${messages.join(', ')}`)
  return new AppError(code, `Validation failed: ${text.join('; ')}`, { fields: named })
}

/** A property that is null is one that was not given. */
export function withoutNulls(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null))
}
