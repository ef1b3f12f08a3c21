import { randomUUID } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

type Bytes = string | AsyncIterable<Uint8Array>

/** What is not whole yet, or never became so, is called this and something random. */
export const unfinishedPrefix = '.unfinished-'

/**
 * Writes a file so that it is there whole or as it was before. Whatever has its name, also a link that a node's program
 * left there to lead elsewhere, is replaced and never followed.
 */
export async function writeWhole(path: string, bytes: Bytes): Promise<void> {
  const unfinished = join(dirname(path), `${unfinishedPrefix}${randomUUID()}`)
  try {
    await writeNew(unfinished, bytes)
    await rename(unfinished, path)
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  }
}

async function writeNew(path: string, bytes: Bytes): Promise<void> {
  const file = await open(path, 'wx', 0o644)
  try {
    await file.writeFile(bytes)
  } finally {
    await file.close()
  }
}
