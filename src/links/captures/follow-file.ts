import { type FileHandle, open } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'

const pieceBytes = 64 * 1024
const lookEveryMs = 50

export interface Following {
  /** Aborts when nothing more will be written. */
  readonly ended: AbortSignal
  /** Aborts when the reader has gone. */
  readonly signal: AbortSignal
}

/** Reads a file from its first byte on, and what is added to it until it has ended. */
export async function* followFile(path: string, { ended, signal }: Following): AsyncGenerator<Uint8Array> {
  const file = await open(path, 'r')
  try {
    let position = 0
    while (!signal.aborted) {
      // asked before reading: what was written before the end is still to be read
      const isLast = ended.aborted
      for await (const piece of readFrom(file, position)) {
        position += piece.length
        yield piece
      }
      if (isLast) return
      await pause(AbortSignal.any([ended, signal]))
    }
  } finally {
    await file.close()
  }
}

async function* readFrom(file: FileHandle, start: number): AsyncGenerator<Uint8Array> {
  let position = start
  while (true) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(pieceBytes), 0, pieceBytes, position)
    if (bytesRead === 0) return
    position += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

async function pause(signal: AbortSignal): Promise<void> {
  await setTimeout(lookEveryMs, undefined, { signal }).catch(() => undefined)
}
