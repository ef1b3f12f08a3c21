import { type FileHandle, open, unlink } from 'node:fs/promises'
import { AppError } from '../errors.ts'
import type { ScratchFile } from './blob-store.ts'

/** Opens a new file and takes its name from it: it goes with whoever holds it, however they end. */
export async function openScratchFile(path: string): Promise<ScratchFile> {
  const handle = await open(path, 'wx+', 0o600)
  try {
    await unlink(path)
  } catch (error) {
    await handle.close()
    throw error
  }
  return {
    fd: handle.fd,
    read: (start, sizeBytes) => readFully(handle, start, sizeBytes),
    [Symbol.asyncDispose]: () => handle.close(),
  }
}

async function readFully(handle: FileHandle, start: number, sizeBytes: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(sizeBytes)
  for (let from = 0; from < sizeBytes; ) {
    const { bytesRead } = await handle.read(bytes, from, sizeBytes - from, start + from)
    if (bytesRead === 0) throw new AppError('internal', `A scratch file has no ${sizeBytes} bytes from ${start} on`)
    from += bytesRead
  }
  return bytes
}
