import { dirname, extname, join } from 'node:path'

/**
 * The path of a module beside the asking one, for threads and child processes. Sources run as `.ts`, the
 * packed program as `.js`; a neighbour always has the asker's own extension.
 */
export function siblingModule(meta: ImportMeta, name: string): string {
  return join(dirname(meta.filename), `${name}${extname(meta.filename)}`)
}
