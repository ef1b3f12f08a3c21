import { createHash } from 'node:crypto'
import { fetchBytes } from '../../../../platform/fetch/fetch-bytes.ts'
import { FetchError } from '../../../../platform/fetch/fetch-error.ts'
import { forAll } from '../../../../platform/fetch/for-all.ts'
import type { DiscoverContext, DiscoveredFile, DiscoveredUnit, LearntFile, UnknownFile } from '../../../content-type.ts'
import { readTreeinfo } from '../metadata/read-treeinfo.ts'
import { listTreeFiles, type TreeFile, treeinfoNames } from '../trees/tree-files.ts'
import { type TreeUnit, toTreeUnit } from '../trees/tree-unit.ts'
import { urlOf } from './find-repository.ts'

const maxTreeinfoBytes = 1024 * 1024

/**
 * Gives the tree that a repository is part of, when it is: its description and those of its files that the upstream has.
 * A tree does not say how long its files are. The upstream is asked for that; what it does not tell, and what the tree gives no
 * sha256 of, is fetched at once.
 *
 * @throws AppError `upstream` that says what is wrong with the tree
 */
export async function discoverTree(
  context: DiscoverContext,
  base: URL,
): Promise<readonly (TreeUnit & DiscoveredUnit)[]> {
  const found = await findTreeinfo(context, base)
  if (found === undefined) return []
  const treeinfo = readTreeinfo(found.bytes.toString('utf8'))
  const files = await learnFiles(context, [found.file, ...(await findFiles(context, base, listTreeFiles(treeinfo)))])
  // clients look for it under either name
  const [description] = files as readonly [DiscoveredFile]
  const others = treeinfoNames.filter((name) => name !== description.path)
  return [toTreeUnit(treeinfo, [...files, ...others.map((path) => ({ ...description, path }))])]
}

interface FoundTreeinfo {
  readonly bytes: Buffer
  readonly file: UnknownFile
}

async function findTreeinfo(context: DiscoverContext, base: URL): Promise<FoundTreeinfo | undefined> {
  const { fetcher, upstream, signal } = context
  for (const path of treeinfoNames) {
    const url = urlOf(base, { href: path, base: undefined })
    try {
      const { bytes } = await fetchBytes(fetcher, url, { upstream, signal, maxBytes: maxTreeinfoBytes })
      // some servers answer with a page instead of 404
      if (bytes.toString('utf8').trimStart().startsWith('<')) continue
      return { bytes, file: { url, path, sha256: createHash('sha256').update(bytes).digest('hex') } }
    } catch (error) {
      // storage in the cloud often answers 403 for what is not there
      if (!(error instanceof FetchError && [403, 404, 410].includes(error.status ?? 0))) throw error
    }
  }
  return undefined
}

/** Those of the files that the upstream has: mirrors often leave out the largest ones. */
async function findFiles(context: DiscoverContext, base: URL, files: readonly TreeFile[]): Promise<UnknownFile[]> {
  const digestOf = ({ checksum }: TreeFile) => (checksum?.type === 'sha256' ? checksum.value : undefined)
  const stored = await context.findSizes(files.flatMap((file) => digestOf(file) ?? []))
  const found = new Map<TreeFile, UnknownFile>()
  await forAll(files, context, async (file) => {
    const url = urlOf(base, { href: file.path, base: undefined })
    const sha256 = digestOf(file)
    const size = stored.get(sha256 ?? '') ?? (await askSize(context, url))
    if (size !== 'absent')
      found.set(file, { url, path: file.path, ...expected(file), ...(size === 'unknown' ? {} : { sizeBytes: size }) })
  })
  return files.flatMap((file) => found.get(file) ?? [])
}

function expected({ checksum }: TreeFile): Partial<UnknownFile> {
  if (checksum === undefined) return {}
  return checksum.type === 'sha256' ? { sha256: checksum.value } : { digests: { [checksum.type]: checksum.value } }
}

async function askSize(
  { fetcher, upstream, signal }: DiscoverContext,
  url: URL,
): Promise<number | 'unknown' | 'absent'> {
  try {
    await using answer = await fetcher.open(url, { upstream, signal, method: 'HEAD' })
    return answer.sizeBytes ?? 'unknown'
  } catch (error) {
    if (!(error instanceof FetchError) || error.status === undefined || error.isTemporary) throw error
    return error.status === 404 || error.status === 410 ? 'absent' : 'unknown'
  }
}

/** Fetches the files of which something is not known, and the first one, which is the tree's description. */
async function learnFiles(context: DiscoverContext, files: readonly UnknownFile[]): Promise<readonly DiscoveredFile[]> {
  const unknown = files.filter((file, index) => index === 0 || !isKnown(file))
  const learnt = (await context.fetch(unknown)) as readonly LearntFile[]
  const learntOf = new Map(unknown.map((file, index) => [file, learnt[index] as LearntFile]))
  return files.map((file) => {
    const { sha256, sizeBytes } = { ...file, ...learntOf.get(file) } as LearntFile
    return { url: file.url, path: file.path, sha256, sizeBytes }
  })
}

function isKnown({ sha256, sizeBytes }: UnknownFile): boolean {
  return sha256 !== undefined && sizeBytes !== undefined
}
