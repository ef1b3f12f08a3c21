import { readFileSync } from 'node:fs'

/** The version of this package, from its package.json (beside `src` in a clone, beside `dist` when installed). */
export const version: string = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version
