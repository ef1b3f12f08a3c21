import type { Readable } from 'node:stream'
import type { DigestAlgorithm, Digests } from './digests.ts'

/**
 * Immutable bytes, named by their sha256. Everything that is kept goes one way:
 *
 *   source ──stage──▶ staged (hashed, checked, invisible) ──commit──▶ stored (visible, on disk)
 *                            └──discard──▶ gone
 *
 * Nothing is visible before its digest is known, nothing visible ever changes, and what is visible after a crash
 * is whole. Stores know no references: who may delete what is decided by `Artifacts`.
 *
 * Every method throws AppError `invalid` for a name that is not a sha256, and `unavailable` when the medium is full.
 */
export interface BlobStore {
  /**
   * Reads the source to its end and keeps the bytes aside. The source must not change a chunk after yielding it.
   * When it fails, when the signal aborts (then the signal's reason is thrown) or when the bytes are not the expected
   * ones, nothing is left behind.
   *
   * @throws AppError with the code `blame` when the bytes are not what was expected
   */
  stage(source: AsyncIterable<Uint8Array>, options?: StageOptions): Promise<StagedBlob>

  /**
   * Makes many staged blobs visible, durably and much faster than one by one. When it throws, any of them may be
   * visible already and the others are still staged; calling again is harmless.
   */
  commitAll(staged: readonly StagedBlob[]): Promise<void>

  /**
   * Opens stored bytes. A reader goes on undisturbed when the blob is deleted meanwhile.
   *
   * @throws AppError `not_found`, or `range_not_satisfiable` when the range does not lie inside the blob
   */
  open(sha256: string, range?: ByteRange): Promise<OpenedBlob>

  stat(sha256: string): Promise<BlobStat | undefined>

  /** Forgets the bytes. False when there were none. */
  delete(sha256: string): Promise<boolean>

  /** An empty file for work that is too large for the memory. It has no name and goes when it is disposed of. */
  scratch(): Promise<ScratchFile>

  /** Everything stored, ordered by name. What comes or goes meanwhile may or may not be listed. */
  list(): AsyncIterable<ListedBlob>
}

/** Bytes that nobody else sees. */
export interface ScratchFile extends AsyncDisposable {
  /** Open for reading and writing until this is disposed of. */
  readonly fd: number
  read(start: number, sizeBytes: number): Promise<Buffer>
}

/** Bytes that are hashed and checked and belong to their holder, who commits or discards them. */
export interface StagedBlob extends AsyncDisposable {
  readonly sha256: string
  readonly sizeBytes: number
  /** The digests that were asked for or expected, sha256 always among them. */
  readonly digests: Digests
  /** The bytes, before and after they are committed, as often as wanted. */
  open(range?: ByteRange): Promise<OpenedBlob>
  /** Makes the blob visible; when this resolves the bytes survive a power cut. Harmless when repeated. */
  commit(): Promise<void>
  /** Drops the bytes, unless they are committed. Disposal does the same. */
  discard(): Promise<void>
}

export interface StageOptions {
  /** What the bytes must be; every digest named here is checked. */
  readonly expected?: ExpectedBytes | undefined
  /** More than this is refused as soon as it arrives. */
  readonly maxBytes?: number | undefined
  /** Further digests to compute in the same pass. */
  readonly digests?: readonly DigestAlgorithm[] | undefined
  /** What the bytes are, for messages: `Cannot keep <subject>: ...`. */
  readonly subject?: string | undefined
  /** Whose fault wrong bytes are: an upstream's or the request's own (default). */
  readonly blame?: 'upstream' | 'invalid' | undefined
  readonly signal?: AbortSignal | undefined
  /** Told whenever more bytes can be read along, each time with the same value for one staging. */
  readonly onGrowing?: ((blob: GrowingBlob) => void) | undefined
}

/** Bytes that are being staged: nobody has checked them yet. */
export interface GrowingBlob {
  /** How many there are so far. */
  readonly sizeBytes: number
  /** Reads at most so many bytes of them; none as soon as the staging has ended, whatever its outcome. */
  read(start: number, maxBytes: number): Promise<Uint8Array>
}

export type ExpectedBytes = { readonly [A in DigestAlgorithm]?: string | undefined } & {
  readonly sizeBytes?: number | undefined
}

/** First and last byte, both included and counted from 0, as in RFC 9110 section 14.1.2; no `end` = to the last. */
export interface ByteRange {
  readonly start: number
  readonly end?: number
}

/** Belongs to the opener: read `body` to its end, destroy it, or dispose of this. */
export interface OpenedBlob extends AsyncDisposable {
  /** Size of the whole blob, whatever the range. */
  readonly sizeBytes: number
  readonly body: Readable
  /** The file that the body is read from, where it is one; open until this is disposed of. */
  readonly fd?: number
}

export interface BlobStat {
  readonly sizeBytes: number
  /** When the bytes were last committed, by the clock of the medium. */
  readonly modifiedAt: Date
}

export interface ListedBlob extends BlobStat {
  readonly sha256: string
}
