import { createReadStream, writeSync } from 'node:fs'
import { asWriteFailure } from '../../../../platform/blobs/blob-file.ts'
import { onlyPackages } from '../metadata/only-packages.ts'
import { readFilelists, readOther } from '../metadata/read-fragments.ts'
import { openText, type StoredMetadata } from './open-metadata.ts'

/** One of the longer lists, and where what it says of packages shall go. Plain data: it may be done in a thread. */
export interface SpoolOrder {
  readonly list: 'filelists' | 'other'
  readonly file: StoredMetadata
  /** The same file, open for reading. */
  readonly sourceFd: number
  /** An empty file that is open for writing. */
  readonly targetFd: number
  /** The ids of packages that are passed over. */
  readonly known: readonly string[]
}

/** What a list says of packages stands one after the other, in this order. */
export interface Spooled {
  readonly pkgids: readonly string[]
  readonly lengths: readonly number[]
}

const readers = { filelists: readFilelists, other: readOther }

/**
 * Reads a list to its end. Where it names a package twice, what it says first counts.
 *
 * @throws AppError `upstream` that says what is wrong with the list; `unavailable` when the disk is full
 */
export async function fillSpool(order: SpoolOrder, signal: AbortSignal): Promise<Spooled> {
  const name = `${order.list}.xml`
  const source = createReadStream('', { fd: order.sourceFd, autoClose: false, start: 0 })
  const content = openText(source, { name, file: order.file, signal })
  const known = new Set(order.known)
  const wanted = known.size === 0 ? content : onlyPackages(content, (pkgid) => !known.has(pkgid), name)
  const lengths = new Map<string, number>()
  for await (const { packages } of readers[order.list](wanted, name)) {
    const parts: Buffer[] = []
    for (const { pkgid, inner } of packages) {
      if (lengths.has(pkgid) || known.has(pkgid)) continue
      const bytes = Buffer.from(inner)
      lengths.set(pkgid, bytes.length)
      parts.push(bytes)
    }
    writeWhole(order.targetFd, Buffer.concat(parts), name)
  }
  return { pkgids: [...lengths.keys()], lengths: [...lengths.values()] }
}

function writeWhole(fd: number, bytes: Buffer, name: string): void {
  try {
    for (let from = 0; from < bytes.length; ) from += writeSync(fd, bytes, from)
  } catch (error) {
    throw asWriteFailure(error, name)
  }
}
