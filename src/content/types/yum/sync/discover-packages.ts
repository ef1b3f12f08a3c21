import { inBatches, inWeighedBatches } from '../../../../platform/blobs/bounded.ts'
import { AppError } from '../../../../platform/errors.ts'
import type { DiscoverContext, DiscoveredFile, DiscoveredUnit, LearntFile, UnknownFile } from '../../../content-type.ts'
import type { PackageBatch } from '../metadata/read-packages.ts'
import { type PrimaryPackage, readPrimary } from '../metadata/read-primary.ts'
import { nevraOf } from '../packages/newest-packages.ts'
import type { PackageFragments } from '../packages/package-fragments.ts'
import { fileNameOf, type PackageUnit, packageKind, packagePath, secondPath } from '../packages/package-unit.ts'
import { wrongDocument } from '../xml/xml-error.ts'
import { urlOf } from './find-repository.ts'
import { FragmentSpool } from './fragment-spool.ts'
import { openMetadata, type StoredMetadata } from './open-metadata.ts'

/** The files that tell of packages, stored. */
export interface PackageLists {
  readonly primary: StoredMetadata
  readonly filelists: StoredMetadata
  readonly other: StoredMetadata
  /** The checksums of the packages that are wanted; all of them when nothing is said. */
  readonly retained: ReadonlySet<string> | undefined
  /** The packages of modules, as modules name them. */
  readonly modular: ReadonlySet<string>
}

/** So many packages are given at once, */
const batchSize = 2000
/** and so much text of them. */
const batchChars = 32 * 1024 * 1024

type PackageDiscovery = PackageUnit & DiscoveredUnit & { readonly files: readonly [DiscoveredFile] }

/**
 * Gives the packages of a repository. What the longer lists say of a package is read, at the same time, for those that the
 * repository does not hold yet.
 *
 * @throws AppError `upstream` that names what is wrong with a list
 */
export async function* discoverPackages(
  context: DiscoverContext,
  base: URL,
  lists: PackageLists,
): AsyncGenerator<readonly PackageDiscovery[]> {
  const held = context.previous === undefined ? nothing : await context.listHeld(['rpm', 'srpm'])
  const list = () => describeAll({ context, base, held }, lists)
  await using opened = new AsyncDisposableStack()
  const fill = async (name: 'filelists' | 'other') =>
    opened.use(await FragmentSpool.fill(context, { list: name, file: lists[name], known: [...held.keys()] }))
  const [filelists, other, gathered] = await allOrNone([
    fill('filelists'),
    fill('other'),
    held.size === 0 ? undefined : gather(list()),
  ])
  const longer = { filelists, other }
  if (gathered === undefined) {
    for await (const { known, fresh } of list()) {
      if (known.length > 0) yield known
      yield* withFragments(fresh, longer)
    }
    return
  }
  yield* inBatches(gathered.known, batchSize)
  yield* withFragments(gathered.fresh, longer)
}

const nothing: ReadonlyMap<string, number> = new Map()

/** Like `Promise.all`, but when one fails the others are waited for. */
async function allOrNone<T extends readonly unknown[]>(
  work: readonly [...{ [K in keyof T]: T[K] | Promise<T[K]> }],
): Promise<T> {
  const outcomes = await Promise.allSettled(work)
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  return Promise.all(work) as unknown as Promise<T>
}

/** Packages that were found, apart by whether they are in the database. */
interface FoundPackages {
  readonly known: readonly PackageDiscovery[]
  readonly fresh: readonly DescribedPackage[]
}

interface Describing {
  readonly context: DiscoverContext
  readonly base: URL
  /** Which package has which path, among those that were found so far. */
  readonly paths: Map<string, string>
  readonly modular: ReadonlySet<string>
  /** The usual path of each package, by its sha256. */
  readonly names: Map<string, string>
}

interface Finding extends Pick<Describing, 'context' | 'base'> {
  /** The ids of packages that the repository holds, by their sha256. */
  readonly held: ReadonlyMap<string, number>
}

async function* describeAll(finding: Finding, lists: PackageLists): AsyncGenerator<FoundPackages> {
  const { context, base, held } = finding
  const isWanted = wantedBy(context, lists)
  const found = { modular: lists.modular, paths: new Map<string, string>(), names: new Map<string, string>() }
  for await (const packages of inLarger(readPrimary(openMetadata(context, 'primary.xml', lists.primary)))) {
    const described = await describe({ context, base, ...found }, packages.filter(isWanted))
    const others = described.filter(({ unit }) => !held.has(unit.naturalKey))
    const elsewhere = await context.findStored(others.map(({ unit }) => unit))
    const known = described.flatMap(({ unit }) => {
      const storedId = held.get(unit.naturalKey) ?? elsewhere.get(unit.naturalKey)
      return storedId === undefined ? [] : [{ ...unit, storedId, fragments: noFragments }]
    })
    yield { known, fresh: others.filter(({ unit }) => !elsewhere.has(unit.naturalKey)) }
  }
}

/** More than so many are not gathered in the memory. */
const mostGathered = 20_000
const mostGatheredChars = 64 * 1024 * 1024

/** All packages of a repository, when few of them are new. */
async function gather(found: AsyncIterable<FoundPackages>): Promise<FoundPackages | undefined> {
  const known: PackageDiscovery[] = []
  const fresh: DescribedPackage[] = []
  let chars = 0
  for await (const some of found) {
    known.push(...some.known)
    fresh.push(...some.fresh)
    chars += charsOf(some.fresh.map(({ listed }) => listed))
    if (fresh.length > mostGathered || chars > mostGatheredChars) return undefined
  }
  return { known, fresh }
}

interface LongLists {
  readonly filelists: FragmentSpool
  readonly other: FragmentSpool
}

async function* withFragments(
  packages: readonly DescribedPackage[],
  longer: LongLists,
): AsyncGenerator<readonly PackageDiscovery[]> {
  const weightOf = ({ listed: { checksum } }: DescribedPackage) =>
    longer.filelists.sizeOf(checksum.value) + longer.other.sizeOf(checksum.value)
  for (const batch of inWeighedBatches(packages, { size: batchSize, weight: batchChars, weightOf }))
    yield await readFragments(batch, longer)
}

async function readFragments(
  packages: readonly DescribedPackage[],
  { filelists, other }: LongLists,
): Promise<PackageDiscovery[]> {
  const ids = packages.map(({ listed }) => listed.checksum.value)
  const [files, logs] = await Promise.all([filelists.read(ids), other.read(ids)])
  return packages.map(({ unit, listed }, index) => {
    const fragments = { primary: listed.fragment, filelists: files[index] as string, other: logs[index] as string }
    return { ...unit, fragments: async () => fragments }
  })
}

async function noFragments(): Promise<PackageFragments> {
  throw new AppError('internal', 'The fragments of a package that is known are not read')
}

interface DescribedPackage {
  readonly listed: PrimaryPackage
  readonly unit: Omit<PackageDiscovery, 'fragments'>
}

function wantedBy({ attributes }: DiscoverContext, { retained }: PackageLists): (listed: PrimaryPackage) => boolean {
  const ignored = (attributes['ignorable_content'] ?? []) as readonly string[]
  return ({ fields, checksum }) => !ignored.includes(packageKind(fields)) && (retained?.has(checksum.value) ?? true)
}

/** Packages whose sha256 the upstream does not tell are fetched: nothing else could prove their bytes later. */
async function describe(
  { context, ...found }: Describing,
  packages: readonly PrimaryPackage[],
): Promise<DescribedPackage[]> {
  const unknown = packages.filter(({ checksum }) => checksum.type !== 'sha256')
  const learnt = await context.fetch(unknown.map((listed) => toFile(found.base, listed)))
  const digests = new Map(unknown.map((listed, index) => [listed, (learnt[index] as LearntFile).sha256]))
  return packages.map((listed) => ({
    listed,
    unit: toUnit(found, listed, digests.get(listed) ?? listed.checksum.value),
  }))
}

function toFile(base: URL, { checksum, location, fields }: PrimaryPackage): UnknownFile {
  const url = urlOf(base, location)
  return { url, path: location.href, sizeBytes: fields.sizeBytes, digests: { [checksum.type]: checksum.value } }
}

function toUnit(
  { base, paths, names, modular }: Omit<Describing, 'context'>,
  { fields, location }: PrimaryPackage,
  sha256: string,
): DescribedPackage['unit'] {
  const usual = packagePath(fields)
  const known = names.get(sha256) ?? usual
  if (known !== usual)
    throw wrongDocument('primary.xml', `${known} and ${usual} cannot both be the package of sha256 ${sha256}`)
  names.set(sha256, usual)
  if (!paths.has(usual)) paths.set(usual, sha256)
  // some repositories have two packages of one name and version
  const path = paths.get(usual) === sha256 ? usual : secondPath(usual, sha256)
  const files = [{ path, sha256, sizeBytes: fields.sizeBytes, url: urlOf(base, location) }] as const
  const isModular = modular.has(nevraOf(fields))
  return { kind: packageKind(fields), naturalKey: sha256, name: fileNameOf(fields), files, fields, sha256, isModular }
}

async function* inLarger(
  batches: AsyncIterable<Pick<PackageBatch<PrimaryPackage>, 'packages' | 'warning'>>,
): AsyncGenerator<readonly PrimaryPackage[]> {
  let gathered: PrimaryPackage[] = []
  let chars = 0
  for await (const { packages, warning } of batches) {
    if (warning !== undefined) throw wrongDocument('the metadata', warning)
    gathered.push(...packages)
    chars += charsOf(packages)
    if (gathered.length < batchSize && chars < batchChars) continue
    yield gathered
    gathered = []
    chars = 0
  }
  if (gathered.length > 0) yield gathered
}

/** How much text of packages is held. */
function charsOf(packages: readonly PrimaryPackage[]): number {
  let chars = 0
  for (const { fragment } of packages)
    chars += fragment.beforeChecksum.length + fragment.beforeLocation.length + fragment.afterLocation.length
  return chars
}
