import { createHash } from 'node:crypto'
import { decompress } from '../../../../platform/compression/decompress.ts'
import type { DiscoverContext } from '../../../content-type.ts'
import type { MetadataRecord } from '../metadata/read-repomd.ts'
import { wrongDocument } from '../xml/xml-error.ts'

/** A metadata file whose bytes are stored, with what repomd.xml says of it. */
export interface StoredMetadata {
  readonly record: MetadataRecord
  readonly sha256: string
  readonly sizeBytes: number
}

/** A list larger than this is none that any client could read. */
const maxBytes = 8 * 1024 * 1024 * 1024
/** No list that anybody wants to be read shrinks to less than a thousandth of its size; tiny ones may. */
const maxRatio = 1000
const alwaysBytes = 16 * 1024 * 1024

/**
 * What is in a stored metadata file, whatever it is compressed with. Only at its end is known whether it is what repomd.xml
 * says that it is.
 *
 * @throws AppError `upstream` that says what is wrong
 */
export async function* openMetadata(
  { open, signal }: Pick<DiscoverContext, 'open' | 'signal'>,
  name: string,
  file: StoredMetadata,
): AsyncGenerator<Uint8Array> {
  await using blob = await open(file.sha256)
  yield* openText(blob.body, { name, file, signal })
}

export interface TextOptions {
  /** What it is called in messages. */
  readonly name: string
  readonly file: StoredMetadata
  readonly signal: AbortSignal
}

/** The same of bytes that are read by the caller. */
export function openText(
  content: AsyncIterable<Uint8Array>,
  { name, file, signal }: TextOptions,
): AsyncGenerator<Uint8Array> {
  return checked(decompress(content, { name, maxBytes: budgetOf(file), signal }), name, file.record)
}

function budgetOf({ sizeBytes, record }: StoredMetadata): number {
  const bearable = Math.min(maxBytes, alwaysBytes + maxRatio * sizeBytes)
  return Math.min(bearable, record.openSizeBytes ?? bearable)
}

async function* checked(
  content: AsyncIterable<Uint8Array>,
  name: string,
  { openChecksum, openSizeBytes }: MetadataRecord,
): AsyncGenerator<Uint8Array> {
  const hash = openChecksum === undefined ? undefined : createHash(openChecksum.type)
  let sizeBytes = 0
  for await (const chunk of content) {
    hash?.update(chunk)
    sizeBytes += chunk.byteLength
    yield chunk
  }
  if (openSizeBytes !== undefined && openSizeBytes !== sizeBytes)
    throw wrongDocument(name, `repomd.xml says that it has ${openSizeBytes} bytes when open, and it has ${sizeBytes}`)
  const digest = hash?.digest('hex')
  if (openChecksum !== undefined && digest !== openChecksum.value)
    throw wrongDocument(
      name,
      `repomd.xml says that its ${openChecksum.type} when open is ${openChecksum.value}, and it is ${digest}`,
    )
}
