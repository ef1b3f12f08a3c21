import { createHash } from 'node:crypto'
import type { BlobStore, OpenedBlob } from '../../src/platform/blobs/blob-store.ts'

export const text = 'one small blob'
export const megabyte = 1024 * 1024

/** Stores the content and gives its name. */
export async function put(store: BlobStore, content: string | Uint8Array): Promise<string> {
  const staged = await store.stage(chunks(content))
  await staged.commit()
  return staged.sha256
}

/** The content in two pieces. */
export async function* chunks(content: string | Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  const bytes = Buffer.from(content)
  const middle = Math.ceil(bytes.length / 2)
  yield bytes.subarray(0, middle)
  yield bytes.subarray(middle)
}

export function digestOf(algorithm: string, content: string | Uint8Array): string {
  return createHash(algorithm).update(content).digest('hex')
}

export async function readText(opened: OpenedBlob): Promise<string> {
  return Buffer.concat(await opened.body.toArray()).toString()
}

/** What the store lists. */
export async function names(store: BlobStore): Promise<string[]> {
  const found: string[] = []
  for await (const { sha256 } of store.list()) found.push(sha256)
  return found
}
