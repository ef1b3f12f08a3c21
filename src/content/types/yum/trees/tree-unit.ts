import { createHash } from 'node:crypto'
import type { NewUnit, UnitFile } from '../../../content-type.ts'
import type { Treeinfo } from '../metadata/read-treeinfo.ts'

/** A tree that a system is installed from: its treeinfo and the files that this names. One with any other file is another unit. */
export interface TreeUnit extends NewUnit {
  readonly kind: 'distribution'
  readonly family: string
  readonly version: string
  readonly arch: string
  readonly variant: string
  /** Whether a machine can be started from it. */
  readonly isBootable: boolean
}

export function isTree(unit: NewUnit): unit is TreeUnit {
  return unit.kind === 'distribution'
}

/** The unit that a tree is, of whose files these are there. */
export function toTreeUnit<File extends UnitFile>(
  treeinfo: Treeinfo,
  files: readonly File[],
): TreeUnit & { readonly files: readonly File[] } {
  const { family, version, arch } = treeinfo
  const variant = variantOf(treeinfo)
  const lines = files.map(({ path, sha256 }) => `${sha256} ${path}\n`).toSorted()
  const paths = new Set(files.map(({ path }) => path))
  return {
    kind: 'distribution',
    naturalKey: createHash('sha256').update(lines.join('')).digest('hex'),
    name: [family, variant, version, arch].filter((part) => part !== '').join(' '),
    files,
    family,
    version,
    arch,
    variant,
    isBootable: isBootable(treeinfo, paths),
  }
}

/** Newer trees tell of several, and of none as a whole. */
function variantOf({ variant, variants }: Treeinfo): string {
  if (variant !== '') return variant
  const whole = variants.filter(({ type }) => type === 'variant')
  return whole.map(({ name, id }) => name || id).join(',')
}

/** A machine starts with a kernel and a first file system of the same platform. */
function isBootable({ images }: Treeinfo, paths: ReadonlySet<string>): boolean {
  const isThere = (path: string | undefined) => path !== undefined && paths.has(path)
  return [...images.values()].some((image) => isThere(image.get('kernel')) && isThere(image.get('initrd')))
}
