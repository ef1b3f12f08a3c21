export interface Validators {
  /** Quoted, strong. */
  readonly etag: string
  readonly lastModified: Date
}

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** True when the caller has this representation already (RFC 9110, section 13.2.2: an ETag wins over a date). */
export function isNotModified(headers: Headers, { etag, lastModified }: Validators): boolean {
  const wanted = single(headers['if-none-match'])
  if (wanted !== undefined) return wanted === '*' || tagsOf(wanted).includes(etag)
  const since = Date.parse(single(headers['if-modified-since']) ?? '')
  return !Number.isNaN(since) && wholeSeconds(lastModified) <= since
}

/** True when a range may be answered with a part: `If-Range` is absent or names this very representation (section 13.1.5). */
export function isRangeWanted(headers: Headers, { etag, lastModified }: Validators): boolean {
  const condition = single(headers['if-range'])
  if (condition === undefined) return true
  return condition.startsWith('"') ? condition === etag : Date.parse(condition) === wholeSeconds(lastModified)
}

function tagsOf(list: string): string[] {
  return list.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
}

function wholeSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000) * 1000
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value
}
