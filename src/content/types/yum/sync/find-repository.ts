import { AppError } from '../../../../platform/errors.ts'
import { fetchBytes } from '../../../../platform/fetch/fetch-bytes.ts'
import { FetchError } from '../../../../platform/fetch/fetch-error.ts'
import type { Validators } from '../../../../platform/fetch/fetch-options.ts'
import { shownUrl } from '../../../../platform/fetch/shown-url.ts'
import { validatorsOf } from '../../../../platform/fetch/validators.ts'
import type { DiscoverContext } from '../../../content-type.ts'
import type { Location } from '../metadata/field-checks.ts'
import { kindOfAnswer } from '../metadata/kind-of-answer.ts'
import { type Metalink, type MetalinkFile, readMetalink } from '../metadata/read-metalink.ts'
import { readMirrorlist } from '../metadata/read-mirrorlist.ts'
import { verifiedBy } from './verified-by.ts'

/** Far more than any that is honest. */
const maxRepomdBytes = 16 * 1024 * 1024
const maxMirrors = 10

/** The file that leads to all others of a repository, and where it was found. */
export interface FoundRepomd {
  readonly base: URL
  readonly bytes: Buffer
  readonly validators: Validators
}

/** What is remembered of the last sync. */
export interface KnownRepomd {
  readonly base: string
  readonly validators: Validators
}

/**
 * Finds the index of a repository at the upstream's address: below it, or at one of the mirrors that a mirrorlist or a metalink
 * there names.
 *
 * @throws AppError `upstream` that says what was found instead
 */
export async function findRepomd(
  context: DiscoverContext,
  known: KnownRepomd | undefined,
): Promise<FoundRepomd | 'unchanged'> {
  const { url } = context.upstream
  if (isList(url)) return findAtMirrors(context, known)
  try {
    return await fetchRepomd(context, baseOf(url), known)
  } catch (error) {
    if (!(error instanceof FetchError) || error.status !== 404) throw error
    return findAtMirrors(context, known).catch((failure: unknown) => {
      throw failure instanceof FetchError && failure.status === 404 ? error : failure
    })
  }
}

/** Whether an address is that of a list of mirrors, as far as it tells. */
function isList(url: string): boolean {
  return /metalink|mirrorlist/i.test(url)
}

function baseOf(url: string): URL {
  const base = new URL(url)
  base.pathname = base.pathname.replace(/(?:repodata\/repomd\.xml)?$/, '').replace(/\/*$/, '/')
  return base
}

async function fetchRepomd(
  { fetcher, upstream, signal }: DiscoverContext,
  base: URL,
  known?: KnownRepomd,
): Promise<FoundRepomd | 'unchanged'> {
  const conditions = known?.base === base.href ? known.validators : {}
  const options = { upstream, signal, conditions, maxBytes: maxRepomdBytes }
  const { status, bytes, headers } = await fetchBytes(fetcher, below(base, 'repodata/repomd.xml'), options)
  return status === 304 ? 'unchanged' : { base, bytes, validators: validatorsOf(headers) }
}

async function findAtMirrors(context: DiscoverContext, known?: KnownRepomd): Promise<FoundRepomd | 'unchanged'> {
  const { mirrors, metalink } = await readList(context)
  const failures: string[] = []
  // the mirror that was used the last time can tell that nothing has changed
  const ordered = [...mirrors].sort((one, other) => Number(other === known?.base) - Number(one === known?.base))
  for (const mirror of ordered.slice(0, maxMirrors)) {
    try {
      const found = await fetchRepomd(context, new URL(mirror), known)
      if (found === 'unchanged' || metalink === undefined || isNamed(metalink, found.bytes)) return found
      failures.push(`${shownUrl(mirror)} has another repomd.xml than the metalink names`)
    } catch (error) {
      if (!(error instanceof FetchError)) throw error
      failures.push(error.message)
    }
  }
  throw new AppError(
    'upstream',
    `Cannot read the repository from any of ${ordered.length} mirrors: ${failures.join('; ')}`,
  )
}

interface MirrorList {
  readonly mirrors: readonly string[]
  readonly metalink: Metalink | undefined
}

async function readList({ fetcher, upstream, signal }: DiscoverContext): Promise<MirrorList> {
  const { bytes, url } = await fetchBytes(fetcher, upstream.url, { upstream, signal, maxBytes: maxRepomdBytes })
  const text = bytes.toString('utf8')
  const kind = kindOfAnswer(text)
  if (kind === 'mirrorlist') return { mirrors: readMirrorlist(text), metalink: undefined }
  if (kind !== 'metalink')
    throw new AppError('upstream', `Cannot read ${url}: it is no repository, no mirrorlist and no metalink`)
  const metalink = await readMetalink(one(bytes))
  return { mirrors: metalink.mirrors.map((mirror) => mirror.url), metalink }
}

function isNamed({ repomd, alternates }: Metalink, bytes: Buffer): boolean {
  return [repomd, ...alternates].some((file: MetalinkFile) =>
    file.checksums.every((checksum) => verifiedBy(checksum, bytes)),
  )
}

/** The address of a path below a repository; a query is a token, which such upstreams want with every file. */
function below(base: URL, path: string): URL {
  const url = new URL(path.split('/').map(encodeURIComponent).join('/'), base)
  url.search = base.search
  return url
}

/** Where a file is that metadata names: below the repository, unless it says below what else. */
export function urlOf(base: URL, { href, base: other }: Location): URL {
  return other === undefined ? below(base, href) : below(withSlash(other), href)
}

function withSlash(base: string): URL {
  const url = new URL(base)
  url.pathname = url.pathname.replace(/\/*$/, '/')
  return url
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
