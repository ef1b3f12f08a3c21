import { isDeepStrictEqual } from 'node:util'
import { type Dependency, type DependencyKind, dependencyKinds, type PackageFile } from '../packages/package-details.ts'
import type { PackageFields } from '../packages/package-fields.ts'
import { splitEvr } from '../versions/parse-evr.ts'
import { neededOf } from './needed-requires.ts'
import type { RpmHeader } from './rpm-header.ts'
import { type DependencyTags, dependencyTags } from './rpm-tags.ts'
import { unreadable } from './unreadable-rpm.ts'

/** Of one kind: far more than any package has. */
const maxDependencies = 100_000

/** Of a name with its version. Whoever reads the list of packages takes attributes of 64 kB, where each may be escaped. */
const maxLength = 10_000

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

/** What holds a header of today together. */
const region = 63

/** All dependencies of a package. Of those it requires, what says nothing to a solver is left out. */
export function listDependencies(
  header: RpmHeader,
  fields: PackageFields,
  files: readonly PackageFile[],
): Readonly<Record<DependencyKind, readonly Dependency[]>> {
  const all = Object.fromEntries(dependencyKinds.map((kind) => [kind, []])) as unknown as Record<
    DependencyKind,
    Dependency[]
  >
  for (const source of dependencyTags) collect(header, source, all)
  if (!header.has(region) && !isSource(fields)) provideItself(fields, all.provides)
  return { ...all, requires: neededOf(all.requires, all.provides, files) }
}

function collect(header: RpmHeader, source: DependencyTags, all: Record<DependencyKind, Dependency[]>): void {
  const [nameTag, flagsTag, versionTag] = source.tags
  const names = header.listTexts(nameTag)
  const flags = header.listNumbers(flagsTag)
  const versions = header.listTexts(versionTag)
  // The oldest packages say nothing but names.
  const isWhole = [flags, versions].every(({ length }) => length === 0 || length === names.length)
  if (!isWhole || names.length > maxDependencies) {
    throw unreadable(`${names.length} ${source.kind}, ${flags.length} flags and ${versions.length} versions of them`)
  }
  for (const [at, name] of names.entries()) {
    const flag = flags[at] ?? 0
    const kind = source.flagged !== undefined && (flag & source.flagged.by) !== 0 ? source.flagged.kind : source.kind
    const dependency = readDependency(name, flag, versions[at] ?? '')
    all[kind].push(kind === 'requires' ? dependency : { ...dependency, isPre: false })
  }
}

function isSource({ arch }: PackageFields): boolean {
  return arch === 'src' || arch === 'nosrc'
}

/** Packages of before this was written into them provide themselves too. */
function provideItself({ name, epoch, version, release }: PackageFields, provides: Dependency[]): void {
  const own = { name, comparison: 'EQ', epoch: String(epoch), version, release, isPre: false } as const
  if (!provides.some((provided) => isDeepStrictEqual(provided, own))) provides.push(own)
}

function readDependency(name: string, flags: number, version: string): Dependency {
  if (name.length + version.length > maxLength) throw unreadable(`a dependency of more than ${maxLength} characters`)
  const comparison = comparisons[flags & sense] ?? ''
  const isPre = (flags & preFlags) !== 0
  if (version === '') return { name, comparison, epoch: '', version, release: '', isPre }
  return { name, comparison, ...splitEvr(version), isPre }
}
