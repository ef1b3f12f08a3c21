/** Reads when an advisory was made: a date, a date and time (of UTC), or seconds since 1970. */
export function momentOf(text: string): Date | undefined {
  if (/^\d{9,10}$/.test(text)) return new Date(Number(text) * 1000)
  const [, date, time = '00:00:00'] = /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2}:\d{2}))?/.exec(text) ?? []
  const moment = date === undefined ? Number.NaN : Date.parse(`${date}T${time}Z`)
  return Number.isNaN(moment) ? undefined : new Date(moment)
}
