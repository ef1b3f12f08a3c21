import type { BlobStore, ExpectedBytes, GrowingBlob, StagedBlob } from '../blobs/blob-store.ts'
import type { DigestAlgorithm } from '../blobs/digests.ts'
import { AppError } from '../errors.ts'
import { FetchError } from './fetch-error.ts'
import type { FetchedBody, FetchOptions, Validators } from './fetch-options.ts'
import type { Fetcher } from './fetcher.ts'
import { shownUrl } from './shown-url.ts'
import { validatorsOf } from './validators.ts'

export interface FetchBlobOptions extends FetchOptions {
  readonly store: BlobStore
  readonly expected?: ExpectedBytes | undefined
  /** More than this is refused as soon as it arrives. */
  readonly maxBytes?: number | undefined
  /** Further digests to compute in the same pass. */
  readonly digests?: readonly DigestAlgorithm[] | undefined
  /** What it is, for messages; the URL when absent. */
  readonly subject?: string | undefined
  /** Told how much of it is there; starts at 0 again when the file is fetched anew. */
  readonly onProgress?: ((receivedBytes: number) => void) | undefined
  /** Lets others read along, unchecked; another value when the file is fetched anew. */
  readonly onGrowing?: ((blob: GrowingBlob) => void) | undefined
}

/**
 * Copies an upstream's file into the store, hashing it on the way: nothing is held in memory or read twice, and what is
 * staged has the expected digests and size. Too long a file is cut at once. Whatever goes wrong is tried again from the
 * start as often as the fetcher was told, also a wrong digest: one of several mirrors behind a name may be stale.
 *
 * @throws FetchError, AppError `unavailable` when the medium is full, or the reason of the signal
 */
export function fetchBlob(fetcher: Fetcher, url: URL | string, options: FetchBlobOptions): Promise<StagedBlob> {
  return fetcher.read(url, { ...options, conditions: undefined }, (answer) => stageAnswer(answer, url, options))
}

export interface FetchedBlob {
  readonly blob: StagedBlob
  readonly validators: Validators
}

/** The same for who may have the file already, as the upstream's `conditions` tell; gives what to ask with next time. */
export function fetchChangedBlob(
  fetcher: Fetcher,
  url: URL | string,
  options: FetchBlobOptions,
): Promise<FetchedBlob | 'not modified'> {
  return fetcher.read(url, options, async (answer) => {
    if (answer.status === 304) return 'not modified'
    return { blob: await stageAnswer(answer, url, options), validators: validatorsOf(answer.headers) }
  })
}

async function stageAnswer(answer: FetchedBody, url: URL | string, options: FetchBlobOptions): Promise<StagedBlob> {
  const subject = options.subject ?? shownUrl(url)
  try {
    refuseAnnouncedSize(answer, subject, options)
    return await stage(answer, subject, options)
  } catch (error) {
    throw asTemporary(error, answer)
  }
}

function stage({ body, url }: FetchedBody, subject: string, options: FetchBlobOptions): Promise<StagedBlob> {
  const { store, expected, maxBytes, digests, signal, onProgress, onGrowing } = options
  return store.stage(onProgress === undefined ? body : counted(body, onProgress), {
    blame: 'upstream',
    subject: subject.includes(url) ? subject : `${subject} from ${url}`,
    expected,
    maxBytes,
    digests,
    signal,
    onGrowing,
  })
}

function refuseAnnouncedSize({ sizeBytes, url }: FetchedBody, subject: string, options: FetchBlobOptions): void {
  const { expected, maxBytes = Number.POSITIVE_INFINITY } = options
  if (sizeBytes === undefined) return
  const isWrong = expected?.sizeBytes !== undefined && sizeBytes !== expected.sizeBytes
  if (!isWrong && sizeBytes <= maxBytes) return
  const wanted = isWrong ? `instead of ${expected.sizeBytes}` : `and ${maxBytes} are allowed`
  throw new AppError('upstream', `Cannot fetch ${subject}: ${url} announces ${sizeBytes} bytes ${wanted}`)
}

/** What the store refused about the bytes is the upstream's fault, and the next answer may be the right one. */
function asTemporary(error: unknown, { url, status }: FetchedBody): unknown {
  if (!(error instanceof AppError) || error instanceof FetchError || error.code !== 'upstream') return error
  return new FetchError(error.message, { url, status, isTemporary: true, cause: error })
}

async function* counted(body: AsyncIterable<Uint8Array>, onProgress: (receivedBytes: number) => void) {
  let receivedBytes = 0
  for await (const chunk of body) {
    receivedBytes += chunk.byteLength
    onProgress(receivedBytes)
    yield chunk
  }
}
