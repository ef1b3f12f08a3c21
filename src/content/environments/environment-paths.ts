/** An environment and the one that it follows. */
interface Place {
  readonly id: number
  readonly prior_id: number | null
}

/** One path for each environment that no other follows: from Library to it. The environments come in the order of their ids. */
export function pathsOf<T extends Place>(environments: readonly T[]): T[][] {
  const byId = new Map(environments.map((environment) => [environment.id, environment]))
  const followed = new Set(environments.map(({ prior_id }) => prior_id))
  return environments.filter(({ id }) => !followed.has(id)).map((leaf) => pathTo(leaf, byId))
}

function pathTo<T extends Place>(leaf: T, byId: ReadonlyMap<number, T>): T[] {
  const path: T[] = []
  for (let at: T | undefined = leaf; at !== undefined; at = byId.get(at.prior_id ?? 0)) path.unshift(at)
  return path
}
