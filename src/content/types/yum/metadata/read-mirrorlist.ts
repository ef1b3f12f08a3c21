import { wrongDocument } from '../xml/xml-error.ts'
import { shown } from './field-checks.ts'
import { repositoryAddress } from './repository-address.ts'

const document = 'the list of mirrors'
const maxMirrors = 10_000

/**
 * Reads a text with the URL of a repository in each line; empty lines and those that begin with `#` are passed over, as
 * are addresses that are not http or https.
 *
 * @throws AppError `upstream` when a line is no URL, or when none is left
 */
export function readMirrorlist(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => line.trim())
  const urls = lines.filter((line) => line !== '' && !line.startsWith('#'))
  if (urls.length > maxMirrors) throw wrongDocument(document, `it has more than ${maxMirrors} lines`)
  const broken = urls.find((url) => !isUrl(url))
  if (broken !== undefined) throw wrongDocument(document, `${shown(broken)} is no URL`)
  const mirrors = urls.map(repositoryAddress).filter((url) => url !== undefined)
  if (mirrors.length === 0) throw wrongDocument(document, 'it names no mirror')
  return [...new Set(mirrors)]
}

export function isUrl(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\/[^\s]+$/i.test(text) && URL.canParse(text)
}
