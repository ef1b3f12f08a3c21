/** A stretch of time as exact as it was said: a day, or a second. */
export interface TimeSpan {
  readonly from: Date
  /** The first moment after it. */
  readonly to: Date
}

const secondMs = 1000
const dayMs = 24 * 60 * 60 * secondMs

const lengthsMs: Readonly<Record<string, number>> = {
  second: secondMs,
  minute: 60 * secondMs,
  hour: 60 * 60 * secondMs,
  day: dayMs,
  week: 7 * dayMs,
}
const days: Readonly<Record<string, number>> = { yesterday: -1, today: 0, tomorrow: 1 }
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/**
 * Reads `2021-10-27`, `2021-10-27 10:11:15 UTC`, ISO 8601, `Jan 3 2021`, `3 January 2021 10:11`, `yesterday`, `2 days ago` and
 * `3 hours from now`; without a zone in UTC. Undefined for anything else.
 */
export function parseDate(text: string, now: number): TimeSpan | undefined {
  const words = text.trim().toLowerCase().replaceAll(/\s+/g, ' ')
  if (words === 'now') return spanOf(now, secondMs)
  const offset = Object.hasOwn(days, words) ? days[words] : undefined
  if (offset !== undefined) return spanOf(now + offset * dayMs, dayMs)
  return parseDistance(words, now) ?? parseNumbers(words) ?? parseMonthName(words, now)
}

/** The whole second or day in which that moment lies. */
function spanOf(ms: number, lengthMs: number): TimeSpan | undefined {
  const from = Math.floor(ms / lengthMs) * lengthMs
  const isTime = from >= Date.UTC(0, 0, 1) && from <= Date.UTC(9999, 11, 30)
  return isTime ? { from: new Date(from), to: new Date(from + lengthMs) } : undefined
}

function parseDistance(words: string, now: number): TimeSpan | undefined {
  const found = /^(\d{1,6}|an?) (second|minute|hour|day|week|month|year)s? (ago|from now)$/.exec(words)
  if (found === null) return undefined
  const [, number = '', unit = '', direction] = found
  const count = (/^a/.test(number) ? 1 : Number(number)) * (direction === 'ago' ? -1 : 1)
  const lengthMs = lengthsMs[unit]
  if (lengthMs !== undefined) return spanOf(now + count * lengthMs, lengthMs < dayMs ? secondMs : dayMs)
  const then = new Date(now)
  if (unit === 'month') then.setUTCMonth(then.getUTCMonth() + count)
  else then.setUTCFullYear(then.getUTCFullYear() + count)
  return spanOf(then.getTime(), dayMs)
}

const clock = String.raw`(?:(?:t| |, ?)(?<time>\d\d?:\d\d(?::\d\d)?)(?:\.\d{1,9})? ?(?<zone>z|utc|gmt|[+-]\d\d:?\d\d)?)?`
const numbers = new RegExp(String.raw`^(?<year>\d{4})[-/](?<month>\d\d?)[-/](?<day>\d\d?)${clock}$`)
const monthFirst = new RegExp(String.raw`^(?<name>[a-z]{3,9})\.? (?<day>\d\d?)(?:,? (?<year>\d{4}))?${clock}$`)
const dayFirst = new RegExp(String.raw`^(?<day>\d\d?)\.? (?<name>[a-z]{3,9})\.?(?:,? (?<year>\d{4}))?${clock}$`)

type Groups = Readonly<Record<string, string | undefined>>

function parseNumbers(words: string): TimeSpan | undefined {
  const groups: Groups | undefined = numbers.exec(words)?.groups
  return groups && atTime(Number(groups['year']), Number(groups['month']) - 1, groups)
}

function parseMonthName(words: string, now: number): TimeSpan | undefined {
  const groups: Groups | undefined = (monthFirst.exec(words) ?? dayFirst.exec(words))?.groups
  if (groups === undefined) return undefined
  const month = months.findIndex((short) => isMonth(groups['name'] ?? '', short))
  const year = groups['year'] === undefined ? new Date(now).getUTCFullYear() : Number(groups['year'])
  return month < 0 ? undefined : atTime(year, month, groups)
}

const fullMonths = new Map(
  months.map((short, month) => [
    short,
    new Date(Date.UTC(2000, month)).toLocaleString('en', { month: 'long', timeZone: 'UTC' }).toLowerCase(),
  ]),
)

function isMonth(name: string, short: string): boolean {
  return name.startsWith(short) && (fullMonths.get(short)?.startsWith(name) ?? false)
}

function atTime(year: number, month: number, { day, time, zone }: Groups): TimeSpan | undefined {
  const date = new Date(Date.UTC(year, month, Number(day)))
  if (date.getUTCMonth() !== month || date.getUTCDate() !== Number(day) || year < 1000) return undefined
  if (time === undefined) return spanOf(date.getTime(), dayMs)
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number)
  if (hours > 23 || minutes > 59 || seconds > 59) return undefined
  const sinceMidnightMs = ((hours * 60 + minutes) * 60 + seconds) * secondMs
  return spanOf(date.getTime() + sinceMidnightMs - zoneMs(zone), secondMs)
}

/** `+02:00` is two hours before UTC. */
function zoneMs(zone: string | undefined): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(zone ?? '') ?? []
  return (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60 * secondMs * (sign === '-' ? -1 : 1)
}
