import { type Dependency, type DependencyKind, dependencyKinds, type PackageFile } from '../packages/package-details.ts'
import { isPrimaryFile } from '../packages/write-primary.ts'
import { compareVersions } from '../versions/compare-versions.ts'
import { splitEvr } from '../versions/parse-evr.ts'
import type { RpmHeader } from './rpm-header.ts'
import { dependencyTags } from './rpm-tags.ts'
import { unreadable } from './unreadable-rpm.ts'

const comparisons: Readonly<Record<number, Dependency['comparison']>> = {
  2: 'LT',
  4: 'GT',
  8: 'EQ',
  10: 'LE',
  12: 'GE',
}

/** The bits of the comparison. */
const sense = 15

/** A requirement of the transaction, of any script before or after it, or of one before or after installation. */
const preFlags = 32 | 64 | 128 | 512 | 1024

/** All dependencies of a package. Of those it requires, what says nothing to a solver is left out. */
export function listDependencies(
  header: RpmHeader,
  files: readonly PackageFile[],
): Readonly<Record<DependencyKind, readonly Dependency[]>> {
  const all = Object.fromEntries(dependencyKinds.map((kind) => [kind, listKind(header, kind)])) as Record<
    DependencyKind,
    readonly Dependency[]
  >
  return { ...all, requires: withNewestLibc(withoutNeedless(all.requires, all.provides, files)) }
}

function listKind(header: RpmHeader, kind: DependencyKind): readonly Dependency[] {
  const [nameTag, flagsTag, versionTag] = dependencyTags[kind]
  const names = header.listTexts(nameTag)
  const flags = header.listNumbers(flagsTag)
  const versions = header.listTexts(versionTag)
  // The oldest packages say nothing but names.
  for (const { length } of [flags, versions]) {
    if (length !== 0 && length !== names.length)
      throw unreadable(`${names.length} ${kind}, but ${length} versions of them`)
  }
  const dependencies = names.map((name, at) => readDependency(name, flags[at] ?? 0, versions[at] ?? ''))
  return kind === 'requires' ? dependencies : dependencies.map((dependency) => ({ ...dependency, isPre: false }))
}

function readDependency(name: string, flags: number, version: string): Dependency {
  const comparison = comparisons[flags & sense] ?? ''
  const isPre = (flags & preFlags) !== 0
  if (version === '') return { name, comparison, epoch: '', version, release: '', isPre }
  return { name, comparison, ...splitEvr(version), isPre }
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
