import { invalidField } from '../../platform/errors.ts'
import { unfinishedPrefix } from './write-whole.ts'

/**
 * The parts of a path below a folder: each is the plain name of a file or folder.
 *
 * @throws AppError `invalid` naming `path`
 */
export function checkPath(path: string): [string, ...string[]] {
  const parts = path.split('/')
  if (!parts.every(isPlainName)) throw invalidField('path', 'must be plain names with / between them')
  return parts as [string, ...string[]]
}

function isPlainName(name: string): boolean {
  const isName = name !== '' && name !== '.' && name !== '..' && !name.includes('\0')
  return isName && Buffer.byteLength(name) <= 255 && !name.startsWith(unfinishedPrefix)
}
