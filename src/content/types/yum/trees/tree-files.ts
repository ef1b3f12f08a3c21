import type { Checksum } from '../metadata/field-checks.ts'
import type { Treeinfo } from '../metadata/read-treeinfo.ts'

/** What a tree's own description may be called; clients look for both. */
export const treeinfoNames = ['.treeinfo', 'treeinfo'] as const

/** A file of a tree, with its checksum where the tree tells one. */
export interface TreeFile {
  readonly path: string
  readonly checksum: Checksum | undefined
}

/**
 * The files that a tree names besides its own description. What lies in a folder called `repodata` belongs to a repository: to
 * this one, which has metadata of its own, or to another one below it.
 */
export function listTreeFiles({ checksums, images, stage2 }: Treeinfo): readonly TreeFile[] {
  const named = [
    ...checksums.keys(),
    ...[...images.values()].flatMap((image) => [...image.values()]),
    ...stage2.values(),
  ]
  return [...new Set(named)]
    .filter((path) => !path.split('/').includes('repodata') && !treeinfoNames.some((name) => name === path))
    .map((path) => ({ path, checksum: checksums.get(path) }))
}
