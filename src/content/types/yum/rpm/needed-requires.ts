import type { Dependency, PackageFile } from '../packages/package-details.ts'
import { isPrimaryFile } from '../packages/write-primary.ts'
import { compareVersions } from '../versions/compare-versions.ts'

/** Of what a package requires, what a solver must look for. */
export function neededOf(
  requires: readonly Dependency[],
  provides: readonly Dependency[],
  files: readonly PackageFile[],
): readonly Dependency[] {
  return withNewestLibc(withoutNeedless(requires, provides, files))
}

/** Leaves out what rpm must be able to do, what the package itself has, and what is there twice. */
function withoutNeedless(
  requires: readonly Dependency[],
  provides: readonly Dependency[],
  files: readonly PackageFile[],
): readonly Dependency[] {
  const own = new Set(provides.map(identityOf))
  const ownFiles = new Set(files.map(({ path }) => path).filter(isPrimaryFile))
  const seen = new Set<string>()
  return requires.filter((dependency) => {
    const identity = identityOf(dependency)
    const seenAs = `${dependency.isPre} ${identity}`
    if (dependency.name.startsWith('rpmlib(') || own.has(identity) || ownFiles.has(dependency.name)) return false
    if (seen.has(seenAs)) return false
    seen.add(seenAs)
    return true
  })
}

function identityOf({ name, comparison, epoch, version, release }: Dependency): string {
  return `${name}\0${comparison}\0${epoch}\0${version}\0${release}`
}

/** A C library has all interfaces of those before it: only the newest that is required says something. */
function withNewestLibc(requires: readonly Dependency[]): readonly Dependency[] {
  const [first, ...others] = requires.filter(isLibc)
  if (first === undefined) return requires
  const newest = others.reduce((best, other) => (isNewerLibc(other.name, best.name) ? other : best), first)
  return [...requires.filter((dependency) => !isLibc(dependency)), newest]
}

function isLibc({ name }: Dependency): boolean {
  return name.startsWith('libc.so.6')
}

function isNewerLibc(name: string, than: string): boolean {
  return compareVersions(libcVersion(name), libcVersion(than)) > 0
}

/** `2.34` of `libc.so.6(GLIBC_2.34)(64bit)`; empty for none. */
function libcVersion(name: string): string {
  return /^[^(]*\([^)\d]*(\d[^)]*)\)/.exec(name)?.[1] ?? ''
}
