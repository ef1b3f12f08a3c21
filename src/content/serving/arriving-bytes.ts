import type { BlobStore } from '../../platform/blobs/blob-store.ts'
import type { Arrival } from './arrival.ts'

/** Smaller files are sent when they are whole: nobody who reads them meets an upstream that breaks off. */
export const largestAwaitedBytes = 1024 * 1024

/** The bytes of a file while they come. Who reads them gets the last ones only when all are the right ones. */
export async function* arrivingBytes(
  arrival: Arrival,
  sha256: string,
  { store, signal }: { readonly store: BlobStore; readonly signal: AbortSignal },
): AsyncGenerator<Uint8Array, void, undefined> {
  let position = 0
  for await (const piece of arrival.follow(signal)) {
    position += piece.length
    yield piece
  }
  await using rest = await store.open(sha256, { start: position })
  yield* rest.body
}
