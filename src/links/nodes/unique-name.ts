/**
 * The first free name as GNS3 counts them: `{0}` stands for the number; a name without it is taken as it is when it is
 * free, else with the next number in the place of its own (PC1, PC2).
 */
export function uniqueName(wanted: string, taken: ReadonlySet<string>): string {
  if (!wanted.includes('{0}') && !taken.has(wanted)) return wanted
  const numbered = wanted.includes('{0}') ? wanted : `${wanted.replace(/\d+$/, '')}{0}`
  for (let number = 1; ; number += 1) {
    const name = numbered.replaceAll('{0}', String(number))
    if (!taken.has(name)) return name
  }
}
