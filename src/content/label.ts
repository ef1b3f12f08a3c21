import { randomUUID } from 'node:crypto'
import { invalidField } from '../platform/errors.ts'

const pattern = /^[A-Za-z0-9_-]{1,128}$/

/**
 * The label that was asked for, or one made from the name in Katello's way: runs of other characters become one
 * underscore; a name that is not plain ASCII, or too long, gets a UUID.
 *
 * @throws AppError `invalid` naming `label`
 */
export function labelFor(name: string, wanted: string | undefined): string {
  const label = wanted ?? labelFromName(name)
  if (pattern.test(label)) return label
  throw invalidField('label', 'must have 1 to 128 characters out of letters, digits, underscore and hyphen')
}

function labelFromName(name: string): string {
  const isAscii = [...name].every((character) => character >= ' ' && character <= '~')
  return isAscii && name.length <= 128 ? name.replaceAll(/[^A-Za-z0-9_-]+/g, '_') : randomUUID()
}
