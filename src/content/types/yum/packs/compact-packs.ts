import type { Kysely } from 'kysely'
import { inWeighedBatches } from '../../../../platform/blobs/bounded.ts'
import { type ListName, listNames, makePack, packSize, readFrame } from './pack.ts'
import { findFrame, insertPack, listPackages, movePackages, type PackedPackage, type PackUse } from './pack-store.ts'

/** Packs with fewer packages are small. */
const smallPack = packSize / 4
/** So many small ones are borne before it is worth the work. */
const borneSmallPacks = 16
/** So much text is enough for a pack. */
const largePackBytes = 32 * 1024 * 1024

/**
 * Puts packages that came one by one, as uploads do, together into packs of the usual size, when there are many such.
 *
 * @returns whether anything was moved
 */
export async function compactPacks(
  db: Kysely<unknown>,
  uses: readonly PackUse[],
  signal: AbortSignal,
): Promise<boolean> {
  const small = uses.filter(({ packageCount }) => packageCount < smallPack).map(({ packId }) => packId)
  if (small.length <= borneSmallPacks) return false
  const moved = withoutLarge(await listPackages(db, small))
  if (new Set(moved.map(({ packId }) => packId)).size <= borneSmallPacks) return false
  const limits = { size: packSize, weight: largePackBytes, weightOf: ({ sizeBytes }: PackedPackage) => sizeBytes }
  for (const packages of inWeighedBatches(moved, limits)) {
    signal.throwIfAborted()
    await packTogether(db, packages)
  }
  return true
}

/** Leaves out the packages of packs that are large, however few packages they have: moving these would win nothing. */
export function withoutLarge(packages: readonly PackedPackage[]): readonly PackedPackage[] {
  const sizes = new Map<number, number>()
  for (const { packId, sizeBytes } of packages) sizes.set(packId, (sizes.get(packId) ?? 0) + sizeBytes)
  return packages.filter(({ packId }) => (sizes.get(packId) as number) < largePackBytes / 2)
}

async function packTogether(db: Kysely<unknown>, packages: readonly PackedPackage[]): Promise<void> {
  const parts = { primary: [], filelists: [], other: [] } as Record<ListName, string[]>
  for (const list of listNames) parts[list] = await readParts(db, list, packages)
  const pack = await makePack(
    packages.map((_, index) => ({
      primary: parts.primary[index] as string,
      filelists: parts.filelists[index] as string,
      other: parts.other[index] as string,
    })),
  )
  await together(db, async (tx) => movePackages(tx, await insertPack(tx, pack), packages))
}

/** Who publishes may be in a transaction already. */
function together(db: Kysely<unknown>, write: (tx: Kysely<unknown>) => Promise<void>): Promise<void> {
  return db.isTransaction ? write(db) : db.transaction().execute(write)
}

async function readParts(db: Kysely<unknown>, list: ListName, packages: readonly PackedPackage[]): Promise<string[]> {
  const frames = new Map<number, readonly Buffer[]>()
  for (const packId of new Set(packages.map((each) => each.packId))) {
    const frame = await findFrame(db, packId, list)
    frames.set(packId, frame === undefined ? [] : await readFrame(frame))
  }
  return packages.map(({ packId, index }) => String(frames.get(packId)?.[index] ?? ''))
}
