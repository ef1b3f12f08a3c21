import { AppError } from '../../../../platform/errors.ts'
import type { MetadataFile, PublishContext, RepositoryAttributes, WrittenFile } from '../../../content-type.ts'
import { compactPacks } from '../packs/compact-packs.ts'
import { type Frame, type ListName, listNames } from '../packs/pack.ts'
import { findFrame, listPackUses, type PackUse } from '../packs/pack-store.ts'
import { baseType } from '../records/base-type.ts'
import { listMetadataFiles } from '../records/metadata-file-store.ts'
import { type MetadataText, textsOf } from './metadata-texts.ts'
import { type OpenDigest, OwnOpenDigest } from './open-digest.ts'
import { type ListSource, PackageList } from './package-list.ts'
import { PublishedText } from './published-text.ts'
import { formatRepomd, type RepomdRecord } from './repomd.ts'
import { ThreadedOpenDigest } from './threaded-open-digest.ts'

type Publishing = AsyncGenerator<MetadataFile, void, WrittenFile>

/** The metadata of a repository of packages, as dnf and yum read it. */
export async function* publishYum(context: PublishContext): Publishing {
  const records: RepomdRecord[] = []
  yield* publishLists(context, records)
  for (const text of textsOf(context)) yield* publishText(context, text, records)
  const others = await listMetadataFiles(context.db, context)
  records.push(...others.filter(({ type }) => !records.some((record) => baseType(record.type) === baseType(type))))
  yield* publishIndex(context, records)
}

/** Lists with more packages are opened and hashed in threads. */
const threadPackages = 5000

async function* publishLists(context: PublishContext, records: RepomdRecord[]): Publishing {
  const uses = await usesOf(context)
  const isLong = uses.reduce((sum, { indexes }) => sum + indexes.length, 0) > threadPackages
  await using threads = new AsyncDisposableStack()
  const published: { readonly record: RepomdRecord; readonly digest: OpenDigest }[] = []
  for (const list of listNames) {
    const digest = isLong ? threads.use(new ThreadedOpenDigest()) : new OwnOpenDigest()
    const content = new PackageList(list, sourceOf(context, { list, uses, digest }))
    const written = yield fileOf(list, content, context.attributes)
    published.push({ record: { type: list, ...hrefOf(written) }, digest })
  }
  for (const { record, digest } of published) records.push({ ...record, open: await digest.finish() })
}

async function* publishText({ attributes }: PublishContext, text: MetadataText, records: RepomdRecord[]): Publishing {
  const isGzip = knowsOnlyGzip(attributes)
  const pieces = await beginning(text.pieces)
  if (pieces === undefined) return
  const content = new PublishedText(pieces, { isGzip })
  const path = (sha256: string) => `repodata/${sha256}-${text.filename}.${isGzip ? 'gz' : 'zst'}`
  const written = yield { path, content: content.compressed() }
  // groups have had a name of their own for this since before there were others
  const type = text.type === 'group' && isGzip ? 'group_gz' : text.type
  records.push({ type, ...hrefOf(written), open: content.open })
}

/** The pieces, unless there are none. */
async function beginning(pieces: AsyncGenerator<string>): Promise<AsyncGenerator<string> | undefined> {
  const first = await pieces.next()
  if (first.done === true) return undefined
  return (async function* () {
    yield first.value
    yield* pieces
  })()
}

/** The index, with its signature and the key to check it by. */
async function* publishIndex({ createdAt, signer }: PublishContext, records: readonly RepomdRecord[]): Publishing {
  const repomd = formatRepomd(records, Math.floor(createdAt.getTime() / 1000))
  const key = await signer.publicKey()
  for (const path of ['key.asc', 'repodata/repomd.xml.key']) yield { path, content: textOf(key) }
  const signature = await signer.signDetached(Buffer.from(repomd))
  yield { path: 'repodata/repomd.xml.asc', content: textOf(signature) }
  yield { path: 'repodata/repomd.xml', content: textOf(repomd) }
}

async function usesOf({ db, setId, version, signal }: PublishContext): Promise<PackUse[]> {
  const uses = await listPackUses(db, { setId, version })
  return (await compactPacks(db, uses, signal)) ? listPackUses(db, { setId, version }) : uses
}

interface WantedList extends Pick<ListSource, 'uses' | 'digest'> {
  readonly list: ListName
}

function sourceOf({ db, signal }: PublishContext, { list, uses, digest }: WantedList): ListSource {
  return {
    uses,
    digest,
    signal,
    async findFrame(packId): Promise<Frame> {
      const frame = await findFrame(db, packId, list)
      if (frame === undefined) throw new AppError('conflict', 'Cannot publish: what is published was deleted meanwhile')
      return frame
    },
  }
}

function fileOf(list: ListName, content: PackageList, attributes: RepositoryAttributes): MetadataFile {
  if (!knowsOnlyGzip(attributes))
    return { path: (sha256) => `repodata/${sha256}-${list}.xml.zst`, content: content.compressed() }
  return { path: (sha256) => `repodata/${sha256}-${list}.xml.gz`, content: content.gzipped() }
}

/** Clients of the time of Enterprise Linux 6 and 7 do not know zstd. */
function knowsOnlyGzip({ checksum_type: checksumType, os_versions: osVersions = [] }: RepositoryAttributes): boolean {
  const old = ['os-6', 'os-7', 'rhel-6', 'rhel-7']
  return checksumType === 'sha1' || (osVersions as readonly string[]).some((version) => old.includes(version))
}

function hrefOf({ path, sha256, sizeBytes }: WrittenFile): Pick<RepomdRecord, 'href' | 'sha256' | 'sizeBytes'> {
  return { href: path, sha256, sizeBytes }
}

async function* textOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}
