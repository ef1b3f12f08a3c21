import type { Artifacts } from '../../platform/blobs/artifacts.ts'
import type { StagedBlob } from '../../platform/blobs/blob-store.ts'
import { invalidField } from '../../platform/errors.ts'
import { formParts } from '../../platform/http/forms/form-parts.ts'
import { wholeOf } from '../../platform/http/forms/piece-reader.ts'

/** A request that carries a chunk, not yet read. */
export interface SentChunk {
  readonly contentType: string | undefined
  /** From the query. */
  readonly offset: number | undefined
  readonly body: AsyncIterable<Uint8Array>
}

export interface ReceivedChunk {
  readonly offset: number
  readonly bytes: StagedBlob
}

export interface ReceiveOptions {
  readonly artifacts: Artifacts
  readonly maxBytes: number
  readonly signal: AbortSignal
}

/**
 * Keeps the bytes of a chunk aside; they belong to the caller.
 *
 * @throws AppError `invalid` naming what is missing, `unsupported_media_type`, `malformed`
 */
export async function receiveChunk(sent: SentChunk, options: ReceiveOptions): Promise<ReceivedChunk> {
  const found: { bytes?: StagedBlob; offset: number | undefined } = { offset: sent.offset }
  try {
    if (/^application\/octet-stream\s*(;|$)/i.test(sent.contentType ?? ''))
      found.bytes = await stage(sent.body, options)
    else await readForm(sent, found, options)
    const { bytes, offset } = found
    if (bytes === undefined) throw invalidField('content', "can't be blank")
    if (offset === undefined) throw invalidField('offset', "can't be blank")
    if (offset + bytes.sizeBytes > options.maxBytes)
      throw invalidField('offset', `leads beyond the ${options.maxBytes} bytes that were announced`)
    return { bytes, offset }
  } catch (error) {
    await found.bytes?.discard()
    throw error
  }
}

async function readForm(
  { contentType, body }: SentChunk,
  found: { bytes?: StagedBlob; offset: number | undefined },
  options: ReceiveOptions,
): Promise<void> {
  for await (const part of formParts(contentType, body)) {
    if (part.name === 'offset') found.offset = wholeNumber(await wholeOf(part.body, 100))
    if (part.name !== 'content') continue
    if (found.bytes !== undefined) throw invalidField('content', 'is given twice')
    found.bytes = await stage(part.body, options)
  }
}

function stage(body: AsyncIterable<Uint8Array>, { artifacts, maxBytes, signal }: ReceiveOptions): Promise<StagedBlob> {
  return artifacts.store.stage(body, { maxBytes, signal, subject: 'the chunk' })
}

function wholeNumber(bytes: Buffer): number {
  const text = bytes.toString('latin1').trim()
  const number = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number)) throw invalidField('offset', 'must be a whole number')
  return number
}
