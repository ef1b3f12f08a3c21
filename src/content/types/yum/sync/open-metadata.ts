import { decompress } from '../../../../platform/compression/decompress.ts'
import type { DiscoverContext, LearntFile } from '../../../content-type.ts'

/** A list larger than this is none that any client could read. */
export const maxMetadataBytes = 8 * 1024 * 1024 * 1024

/** What is in a stored metadata file, whatever it is compressed with. */
export async function* openMetadata(
  { open, signal }: DiscoverContext,
  name: string,
  { sha256 }: Pick<LearntFile, 'sha256'>,
): AsyncGenerator<Uint8Array> {
  await using blob = await open(sha256)
  yield* decompress(blob.body, { name, maxBytes: maxMetadataBytes, signal })
}
