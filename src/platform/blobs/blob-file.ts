import { type FileHandle, open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { AppError } from '../errors.ts'
import type { ByteRange, OpenedBlob } from './blob-store.ts'

const readAheadBytes = 256 * 1024

/**
 * Opens one file of a store.
 *
 * @throws AppError `not_found`, or `range_not_satisfiable` when the range starts behind the last byte
 */
export async function openBlobFile(path: string, sha256: string, range?: ByteRange): Promise<OpenedBlob> {
  const handle = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    throw new AppError('not_found', `Cannot open blob "${sha256}": it is not stored`, { cause: error })
  })
  try {
    const { size: sizeBytes } = await handle.stat()
    const limits = range === undefined ? {} : checkedRange(range, sizeBytes, sha256)
    const body: Readable = handle.createReadStream({ ...limits, highWaterMark: readAheadBytes })
    return { sizeBytes, body, [Symbol.asyncDispose]: () => closeBody(body, handle) }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** A range that ends behind the last byte ends at it (RFC 9110 section 14.1.2). */
function checkedRange({ start, end }: ByteRange, sizeBytes: number, sha256: string): Required<ByteRange> {
  const last = Math.min(end ?? sizeBytes - 1, sizeBytes - 1)
  const isInside = Number.isSafeInteger(start) && Number.isSafeInteger(last) && start >= 0 && start <= last
  if (isInside) return { start, end: last }
  throw new AppError(
    'range_not_satisfiable',
    `Cannot read bytes ${start} to ${end ?? 'the last'} of blob "${sha256}": it has ${sizeBytes} bytes`,
  )
}

/** The stream closes the file when it ends or is destroyed; waiting for it means that no descriptor stays behind. */
async function closeBody(body: Readable, handle: FileHandle): Promise<void> {
  body.on('error', () => {}) // an error after the reader has gone concerns nobody
  body.destroy()
  await handle.close()
}

/** Writes every byte, or throws. */
export async function writeFully(handle: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let offset = 0; offset < chunk.byteLength; ) {
    const { bytesWritten } = await handle.write(chunk, offset)
    offset += bytesWritten
  }
}

/** Makes what was created in or renamed into a folder survive a power cut. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const fullDiskCodes: readonly (string | undefined)[] = ['ENOSPC', 'EDQUOT', 'EFBIG']

/** Gives the failure to write bytes as the caller shall see it. */
export function asWriteFailure(error: unknown, subject: string): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (!fullDiskCodes.includes(code)) return error
  return new AppError('unavailable', `Cannot keep ${subject}: the disk is full`, { cause: error })
}
