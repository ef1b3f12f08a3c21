import { shown, type Wrong } from './field-checks.ts'

/** Name, version, release or architecture of a package: what can be a part of a file's name. */
export function checkNamePart(text: string | undefined, what: string, wrong: Wrong): string {
  if (text === undefined || text === '') throw wrong(`has no ${what}`)
  if (text.length > 256) throw wrong(`has a ${what} of more than 256 characters`)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is refused
  if (/[\s\x00-\x1f\x7f/\\]/.test(text)) throw wrong(`has the ${what} ${shown(text)}, which cannot be in a file's name`)
  return text
}

/** What the database takes, and far more than any that is honest. */
const maxEpoch = 0x7fffffff

/** No epoch is epoch 0. */
export function parseEpoch(text: string | undefined, wrong: Wrong): number {
  if (text === undefined || text === '') return 0
  const epoch = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (!(epoch <= maxEpoch)) throw wrong(`has the epoch ${shown(text)}, which is none`)
  return epoch
}
