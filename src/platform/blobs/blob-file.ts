import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
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
    const { start, end } = checkedRange(range, sizeBytes, sha256)
    if (end < start) await handle.close()
    const body = end < start ? Readable.from([]) : createBody(handle, { start, end })
    return { sizeBytes, body, fd: handle.fd, [Symbol.asyncDispose]: () => closeBody(body, handle) }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** A stream that knows its end asks for no more than there is and takes no more memory than it needs. */
function createBody(handle: FileHandle, { start, end }: Required<ByteRange>): Readable {
  return handle.createReadStream({ start, end, highWaterMark: Math.min(readAheadBytes, end - start + 1) })
}

/** A range that ends behind the last byte ends at it (RFC 9110 section 14.1.2). An empty file as a whole is 0 to -1. */
function checkedRange(range: ByteRange | undefined, sizeBytes: number, sha256: string): Required<ByteRange> {
  if (range === undefined) return { start: 0, end: sizeBytes - 1 }
  const { start } = range
  const end = Math.min(range.end ?? sizeBytes - 1, sizeBytes - 1)
  if (Number.isSafeInteger(start) && Number.isSafeInteger(end) && start >= 0 && start <= end) return { start, end }
  throw new AppError(
    'range_not_satisfiable',
    `Cannot read bytes ${start} to ${range.end ?? 'the last'} of blob "${sha256}": it has ${sizeBytes} bytes`,
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
