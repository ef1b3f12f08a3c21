import { isNumber, rankOf, segmentsOf, significantDigits } from './compare-versions.ts'
import type { Evr } from './parse-evr.ts'

/** One for each kind of segment, in the order of their ranks. */
const marks = ['!', '+', '^', 'a', 'n']
const end = '+'

/** Sorts before every letter, so that a run of letters sorts before its continuations. */
const endOfLetters = ' '

/** Numbers sort by how many digits they have, written as one character up to here and as so many tildes beyond. */
const countedDigits = 64

/**
 * A text of printable ASCII that sorts, byte by byte, as the version does among others. Equal versions (`1.0` and `1_00`)
 * have equal keys. A key has at most three times the length of the version, and two characters more.
 */
export function evrSortKey({ epoch, version, release }: Evr): string {
  return `${numberKey(String(epoch))}${versionSortKey(version)}${versionSortKey(release)}`
}

/** The same for a version or a release alone. */
export function versionSortKey(version: string): string {
  let key = ''
  for (const segment of segmentsOf(version)) key += segmentKey(segment)
  return key + end
}

function segmentKey(segment: string): string {
  const mark = marks[rankOf(segment)] as string
  if (segment === '~' || segment === '^') return mark
  return mark + (isNumber(segment) ? numberKey(segment) : segment + endOfLetters)
}

function numberKey(number: string): string {
  const digits = significantDigits(number)
  const tildes = '~'.repeat(digits.length / countedDigits)
  return tildes + String.fromCharCode(0x30 + (digits.length % countedDigits)) + digits
}
