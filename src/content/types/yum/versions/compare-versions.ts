import type { Evr } from './parse-evr.ts'

/** A run of digits, a run of letters, or one of the two signs; everything else only separates. */
const segments = /\d+|[a-zA-Z]+|[~^]/g

/** Compares whole versions as rpm does: below 0 when `a` is older, above 0 when it is newer. */
export function compareEvr(a: Evr, b: Evr): number {
  return a.epoch - b.epoch || compareVersions(a.version, b.version) || compareVersions(a.release, b.release)
}

/**
 * Compares two versions, or two releases, as rpm does: segment by segment, numbers by value and after letters. A tilde is
 * older than the end, and a caret newer than the end but older than anything else.
 */
export function compareVersions(a: string, b: string): number {
  if (a === b) return 0
  const ours = segmentsOf(a)
  const theirs = segmentsOf(b)
  for (let at = 0; at < ours.length || at < theirs.length; at += 1) {
    const order = compareSegments(ours[at] ?? '', theirs[at] ?? '')
    if (order !== 0) return order
  }
  return 0
}

/** The segments of a version in their order. */
export function segmentsOf(version: string): readonly string[] {
  return version.match(segments) ?? []
}

/** Where a segment stands among those of another kind; the empty one is the end. */
export function rankOf(segment: string): number {
  if (segment === '~') return 0
  if (segment === '') return 1
  if (segment === '^') return 2
  return isNumber(segment) ? 4 : 3
}

export function isNumber(segment: string): boolean {
  return segment.charCodeAt(0) <= 0x39
}

/** A number of any length without the zeros that it begins with; 0 is empty. */
export function significantDigits(number: string): string {
  return number.replace(/^0+/, '')
}

function compareSegments(a: string, b: string): number {
  const rank = rankOf(a) - rankOf(b)
  if (rank !== 0 || a === b) return rank
  return isNumber(a) ? compareNumbers(significantDigits(a), significantDigits(b)) : compareText(a, b)
}

function compareNumbers(a: string, b: string): number {
  return a.length - b.length || compareText(a, b)
}

function compareText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
