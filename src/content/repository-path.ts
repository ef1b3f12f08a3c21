import { AppError } from '../platform/errors.ts'

const maxPathBytes = 1024

/**
 * Checks a path that an upstream or an upload gave for a file in a repository: relative, slash-separated, and meaning
 * the same place for everybody who ever joins it to a folder or a URL.
 *
 * @throws AppError `upstream` that shows the path and says what is wrong with it
 */
export function checkRepositoryPath(path: string): string {
  const problem = pathProblem(path)
  if (problem === undefined) return path
  throw new AppError('upstream', `Cannot take the file ${JSON.stringify(path.slice(0, 200))}: its path ${problem}`)
}

/** What is wrong with such a path, if anything is. */
export function pathProblem(path: string): string | undefined {
  if (path === '') return 'is empty'
  if (Buffer.byteLength(path) > maxPathBytes) return `is longer than ${maxPathBytes} bytes`
  if (path.startsWith('/')) return 'is absolute'
  if (hasControlCharacters(path)) return 'holds control characters'
  if (path.includes('\\')) return 'holds a backslash'
  if (!path.isWellFormed()) return 'is not Unicode'
  const parts = path.split('/')
  if (parts.includes('..') || parts.includes('.')) return 'holds ".." or "."'
  return parts.includes('') ? 'has an empty part' : undefined
}

function hasControlCharacters(text: string): boolean {
  for (const character of text) {
    const code = character.codePointAt(0) as number
    if (code < 32 || code === 127) return true
  }
  return false
}
