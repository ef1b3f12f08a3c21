/** The name itself when it is free; else the next free number in the place of its own, as GNS3 does: PC1, PC2. */
export function uniqueName(wanted: string, taken: ReadonlySet<string>): string {
  const named = wanted.replaceAll('{0}', '1')
  if (!taken.has(named)) return named
  const stem = named.replace(/\d+$/, '')
  for (let number = 1; ; number += 1) {
    const name = `${stem}${number}`
    if (!taken.has(name)) return name
  }
}
