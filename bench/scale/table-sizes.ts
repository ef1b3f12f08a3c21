import type pg from 'pg'

/** How many rows each table has, and what all take on the disk. */
export async function tableSizes(database: pg.Pool): Promise<TableSizes> {
  const { rows } = await database.query<{ name: string; bytes: string }>(
    "select relname as name, pg_total_relation_size(oid) as bytes from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by relname",
  )
  const counts = new Map<string, number>()
  for (const { name } of rows) {
    const counted = await database.query<{ count: string }>(`select count(*) from ${name}`)
    counts.set(name, Number(counted.rows[0]?.count))
  }
  return new TableSizes(
    counts,
    rows.reduce((sum, { bytes }) => sum + Number(bytes), 0),
  )
}

class TableSizes {
  readonly #counts: ReadonlyMap<string, number>
  readonly #bytes: number

  constructor(counts: ReadonlyMap<string, number>, bytes: number) {
    this.#counts = counts
    this.#bytes = bytes
  }

  /** What has come since, in words. */
  since(before: TableSizes): string {
    const grown = [...this.#counts]
      .map(([name, count]) => ({ name, rows: count - (before.#counts.get(name) ?? 0) }))
      .filter(({ rows }) => rows !== 0)
      .map(({ name, rows }) => `${name} ${rows > 0 ? '+' : ''}${rows}`)
    return `${grown.join(', ')}; ${Math.round((this.#bytes - before.#bytes) / 1024)} kB of tables and indexes`
  }
}
