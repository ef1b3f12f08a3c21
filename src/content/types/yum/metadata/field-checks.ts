import { pathProblem } from '../../../repository-path.ts'

/** Makes the error about something in a document; the problem reads on from the name of that thing. */
export type Wrong = (problem: string) => Error

/** A digest as metadata names it, in lower case. */
export interface Checksum {
  readonly type: ChecksumType
  readonly value: string
}

export type ChecksumType = keyof typeof digestChars

const digestChars = { md5: 32, sha1: 40, sha224: 56, sha256: 64, sha384: 96, sha512: 128 } as const

/** Reads the kind of a checksum, where `sha` is what sha1 was called first, and its hexadecimal digits. */
export function parseChecksum(type: string | undefined, value: string | undefined, wrong: Wrong): Checksum {
  const lowerType = (type ?? '').trim().toLowerCase()
  const known = lowerType === 'sha' ? 'sha1' : lowerType
  if (!isChecksumType(known)) throw wrong(`has a checksum of an unknown kind ${shown(lowerType)}`)
  const digits = (value ?? '').trim().toLowerCase()
  if (digits.length !== digestChars[known] || !/^[0-9a-f]+$/.test(digits))
    throw wrong(`has a ${known} that is none: ${shown(digits)}`)
  return { type: known, value: digits }
}

export function isChecksumType(type: string): type is ChecksumType {
  return Object.hasOwn(digestChars, type)
}

/** Reads a number of bytes, seconds or things: an integer that is not negative. */
export function parseCount(text: string | undefined, what: string, wrong: Wrong): number {
  if (text === undefined || !/^\d{1,15}$/.test(text.trim()))
    throw wrong(`has a ${what} that is no number: ${shown(text ?? '')}`)
  return Number(text)
}

/** Where a file is: a path relative to `base`, or else to the repository. */
export interface Location {
  readonly href: string
  readonly base: string | undefined
}

/** Reads a location; a `./` at its beginning is passed over. */
export function parseLocation(attributes: ReadonlyMap<string, string>, wrong: Wrong): Location {
  const href = (attributes.get('href') ?? '').replace(/^(?:\.\/)+/, '')
  const problem = pathProblem(href) ?? (href.includes('%') ? pathProblem(decodedPath(href)) : undefined)
  if (problem !== undefined) throw wrong(`has the location ${shown(href)}, which ${problem}`)
  return { href, base: parseBase(attributes.get('xml:base'), wrong) }
}

/** What is left of a path when somebody takes it for a part of a URL. */
function decodedPath(href: string): string {
  return href.replace(/%(2e|2f|5c|00)/gi, (written) => decodeURIComponent(written))
}

function parseBase(base: string | undefined, wrong: Wrong): string | undefined {
  if (base === undefined || base === '') return undefined
  const url = base.length > 2048 ? null : URL.parse(base)
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw wrong(`has the base ${shown(base)}, which is no http or https URL`)
  return base
}

/** A text from outside as it is shown in messages: quoted, and not too long. */
export function shown(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text)
}
