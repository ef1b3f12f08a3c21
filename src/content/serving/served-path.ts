/** A repository's path, and what is asked of it: a file, a folder that ends in a slash, or nothing for the top. */
export interface ServedPath {
  readonly relativePath: string
  readonly file: string
  /** False for the top of a repository without its closing slash. */
  readonly isInside: boolean
}

/**
 * Repositories lie five or six labels deep:
 *
 *   <org>/<environment>/custom/<product>/<repository>/…            library repositories
 *   <org>/<environment>/<view>/custom/<product>/<repository>/…     a view's copies
 *   <org>/content_views/<view>/<version>/custom/<product>/<repository>/…   archived ones
 *
 * The place of the reserved label `custom` tells which it is.
 */
export function splitServedPath(path: string): ServedPath | undefined {
  const parts = path.split('/')
  const custom = parts[1] === 'content_views' ? 4 : parts.indexOf('custom', 2)
  if ((custom !== 2 && custom !== 3 && custom !== 4) || parts[custom] !== 'custom') return undefined
  const end = custom + 3
  if (parts.length < end || parts.slice(0, end).includes('')) return undefined
  return { relativePath: parts.slice(0, end).join('/'), file: parts.slice(end).join('/'), isInside: parts.length > end }
}
