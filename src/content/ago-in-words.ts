/** How long ago something was, such as "5 minutes". */
export function agoInWords(ms: number): string {
  const minutes = Math.round(ms / 60_000)
  if (minutes < 1) return 'less than a minute'
  if (minutes < 60) return plural(minutes, 'minute')
  if (minutes < 60 * 24) return plural(Math.round(minutes / 60), 'hour')
  return plural(Math.round(minutes / 60 / 24), 'day')
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
