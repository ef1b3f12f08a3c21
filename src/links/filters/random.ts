import type { Random } from './filter-kind.ts'

/**
 * A small, fast random source (sfc32, Chris Doty-Humphrey's "small fast counting" generator): the same seed gives the
 * same numbers. Not for secrets. `stream` tells apart several sources made from one seed.
 */
export function seededRandom(seed: number, stream = 0): Random {
  let a = Math.floor(seed / 2 ** 32) | 0
  let b = seed | 0
  let c = stream | 0
  let counter = 1

  const next: Random = () => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return (sum >>> 0) / 2 ** 32
  }

  for (let i = 0; i < 15; i += 1) next()
  return next
}
