/** Prints figures, and sets the exit code when one is worse than what is claimed. */
let failures = 0

export function note(text: string): void {
  console.log(text)
}

export function thousands(perSecond: number): string {
  return `${(perSecond / 1000).toFixed(0).padStart(5)} k/s`
}

export function claim(
  what: string,
  value: number,
  limit: { readonly atLeast?: number; readonly atMost?: number },
): void {
  const { atLeast = -Infinity, atMost = Infinity } = limit
  const isMet = value >= atLeast && value <= atMost
  const wanted = atMost === Infinity ? `>= ${atLeast}` : `<= ${atMost}`
  if (!isMet) failures += 1
  const shown = Number.isInteger(value) ? String(value) : value.toFixed(2)
  console.log(`  ${isMet ? 'met   ' : 'MISSED'}  ${what.padEnd(52)} ${shown.padStart(8)}  (${wanted})`)
}

export function finish(): void {
  console.log(failures === 0 ? '\nAll claims are met.' : `\n${failures} claim(s) missed.`)
  process.exitCode = failures === 0 ? 0 : 1
}
