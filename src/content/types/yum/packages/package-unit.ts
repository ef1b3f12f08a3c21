import type { NewUnit, UnitFile } from '../../../content-type.ts'
import type { PackageFields } from './package-fields.ts'
import type { PackageFragments } from './package-fragments.ts'

/** A package that is known by its metadata or by its header. */
export interface PackageUnit extends NewUnit {
  readonly kind: 'rpm' | 'srpm'
  readonly fields: PackageFields
  readonly sha256: string
  /** Whether it belongs to a stream of a module. */
  readonly isModular: boolean
  readonly files: readonly [UnitFile]
  /** What the package lists say of it; only asked for when it is new. */
  fragments(): Promise<PackageFragments>
}

export function isPackage(unit: NewUnit): unit is PackageUnit {
  return unit.kind === 'rpm' || unit.kind === 'srpm'
}

export function packageKind({ arch }: PackageFields): PackageUnit['kind'] {
  return arch === 'src' || arch === 'nosrc' ? 'srpm' : 'rpm'
}

/** What a package's file is called when nobody has given it another name. */
export function fileNameOf({ name, version, release, arch }: PackageFields): string {
  return `${name}-${version}-${release}.${arch}.rpm`
}

/** Where repositories serve a package. */
export function packagePath(fields: PackageFields): string {
  return `Packages/${fields.name.slice(0, 1).toLowerCase()}/${fileNameOf(fields)}`
}

/** Where a repository serves a package that has another one at its usual path. */
export function secondPath(path: string, sha256: string): string {
  const slash = path.lastIndexOf('/')
  return `${path.slice(0, slash)}/${sha256.slice(0, 16)}${path.slice(slash)}`
}
