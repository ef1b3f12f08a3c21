import type { ByteRange } from '../../platform/blobs/blob-store.ts'

export type RangeAnswer =
  | { readonly kind: 'whole' }
  | { readonly kind: 'part'; readonly range: Required<ByteRange> }
  | { readonly kind: 'unsatisfiable' }

/**
 * Reads a `Range` header (RFC 9110, section 14.2). Several ranges at once and other units are answered with the whole, as the
 * standard allows.
 */
export function parseRange(header: string | undefined, sizeBytes: number): RangeAnswer {
  const match = /^bytes=(\d{0,16})-(\d{0,16})$/.exec(header?.trim() ?? '')
  const [, first = '', last = ''] = match ?? []
  if (first === '' && last === '') return { kind: 'whole' }
  if (first === '') return suffix(Number(last), sizeBytes)
  const start = Number(first)
  const end = last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1)
  if (last !== '' && Number(last) < start) return { kind: 'whole' }
  return start < sizeBytes ? { kind: 'part', range: { start, end } } : { kind: 'unsatisfiable' }
}

function suffix(length: number, sizeBytes: number): RangeAnswer {
  if (length === 0 || sizeBytes === 0) return { kind: 'unsatisfiable' }
  return { kind: 'part', range: { start: Math.max(0, sizeBytes - length), end: sizeBytes - 1 } }
}
