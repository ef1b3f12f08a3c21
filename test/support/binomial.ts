/** Whether so many of `trials` are within what chance `probability` gives, but for one time in a million on each side. */
export function isLikely(successes: number, trials: number, probability: number): boolean {
  return tail(successes, trials, probability) > 1e-6 && tail(trials - successes, trials, 1 - probability) > 1e-6
}

/** The probability of at most `most` successes: the exact sum of the binomial distribution, in logarithms. */
function tail(most: number, trials: number, probability: number): number {
  if (probability <= 0) return 1
  if (probability >= 1) return most >= trials ? 1 : 0
  let logTerm = trials * Math.log1p(-probability)
  let sum = Math.exp(logTerm)
  for (let count = 1; count <= most; count += 1) {
    logTerm += Math.log((trials - count + 1) / count) + Math.log(probability) - Math.log1p(-probability)
    sum += Math.exp(logTerm)
  }
  return sum
}
