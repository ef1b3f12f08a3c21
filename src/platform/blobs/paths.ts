import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { assertSha256 } from './digests.ts'

/**
 * The tree of a file blob store. No other module builds a path in it.
 *
 *   <root>/
 *     00/ 01/ ... ff/             a folder for each first byte of a digest
 *       <sha256>                  the bytes, whole and checked; never changed, only replaced by the same bytes
 *     tmp/
 *       <place>-<pid>-<uuid>      bytes on their way in; they belong to process <pid> of <place> (see `owner.ts`)
 *
 * Folders have mode 0700 and files 0600. `tmp` must be on the same file system as the rest, because a commit is
 * one rename.
 */
export class BlobPaths {
  readonly root: string
  readonly temporaryFolder: string

  constructor(root: string) {
    this.root = root
    this.temporaryFolder = join(root, 'tmp')
  }

  /** The folders of all digests, in order. */
  get bucketFolders(): readonly string[] {
    return Array.from({ length: 256 }, (_, byte) => join(this.root, byte.toString(16).padStart(2, '0')))
  }

  /** @throws AppError `invalid` when the name is not a sha256, so that no name can lead elsewhere */
  blob(sha256: string): string {
    return join(this.bucketFolder(sha256), sha256)
  }

  bucketFolder(sha256: string): string {
    assertSha256(sha256)
    return join(this.root, sha256.slice(0, 2))
  }

  /** A new name in the temporary folder, told apart by its owner. */
  temporary({ place, pid }: TemporaryOwner): string {
    return join(this.temporaryFolder, `${place}-${pid}-${randomUUID()}`)
  }
}

export interface TemporaryOwner {
  readonly place: string
  readonly pid: number
}

/** Who made a temporary file; `undefined` for a name that is none of ours. */
export function ownerOfTemporary(name: string): TemporaryOwner | undefined {
  const match = /^([0-9a-z]+)-([0-9]+)-[0-9a-f-]{36}$/.exec(name)
  if (match?.[1] === undefined) return undefined
  return { place: match[1], pid: Number(match[2]) }
}
