/** Results go to standard output, one fact a line; tables have a head and are padded for people. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

export function printTable(rows: readonly Readonly<Record<string, unknown>>[], columns: readonly string[]): void {
  const cells = [
    columns.map((column) => column.toUpperCase()),
    ...rows.map((row) => columns.map((column) => shown(row[column]))),
  ]
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => (line[index] as string).length)))
  for (const line of cells)
    print(
      line
        .map((cell, index) => cell.padEnd(widths[index] as number))
        .join('  ')
        .trimEnd(),
    )
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return '-'
  return Array.isArray(value) ? value.join(',') || '-' : String(value)
}
