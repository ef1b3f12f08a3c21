import { mkdir, open, readdir, rm, stat, unlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { asWriteFailure, openBlobFile, syncFolder, writeFully } from './blob-file.ts'
import type {
  BlobStat,
  BlobStore,
  ByteRange,
  ListedBlob,
  OpenedBlob,
  ScratchFile,
  StagedBlob,
  StageOptions,
} from './blob-store.ts'
import { forEachBounded } from './bounded.ts'
import { isDigest } from './digests.ts'
import { FileStagedBlob } from './file-staged-blob.ts'
import { GrowingFile } from './growing-file.ts'
import { type CheckedBytes, IncomingBytes } from './incoming-bytes.ts'
import { isGone, thisOwner } from './owner.ts'
import { BlobPaths, ownerOfTemporary, type TemporaryOwner } from './paths.ts'
import { openScratchFile } from './scratch-file.ts'

const folderMode = 0o700
const fileMode = 0o600
const parallelFiles = 32
const dayMs = 24 * 60 * 60_000

/**
 * Opens the blob store in a folder, which is made when it is missing, and removes what crashed processes left in its
 * `tmp`: files whose process is certainly gone at once, all others when they were not written to for a day. Other
 * processes, also on other machines, may use the folder at the same time.
 */
export async function openFileBlobStore(root: string): Promise<FileBlobStore> {
  const paths = new BlobPaths(root)
  const owner = thisOwner()
  await mkdir(paths.temporaryFolder, { recursive: true, mode: folderMode })
  await forEachBounded(paths.bucketFolders, parallelFiles, async (folder) => {
    await mkdir(folder, { recursive: true, mode: folderMode })
  })
  await syncFolder(root)
  await removeLeftovers(paths, owner)
  return new FileBlobStore(paths, owner)
}

/** Blobs as files of one folder; see `paths.ts` for the tree. Made by `openFileBlobStore`. */
export class FileBlobStore implements BlobStore {
  readonly #paths: BlobPaths
  readonly #owner: TemporaryOwner

  constructor(paths: BlobPaths, owner: TemporaryOwner) {
    this.#paths = paths
    this.#owner = owner
  }

  async stage(source: AsyncIterable<Uint8Array>, options: StageOptions = {}): Promise<StagedBlob> {
    const temporary = this.#paths.temporary(this.#owner)
    try {
      const bytes = await writeChecked(temporary, new IncomingBytes(source, options), options.onGrowing)
      const target = this.#paths.blob(bytes.digests.sha256)
      const syncTargetFolder = () => syncFolder(this.#paths.bucketFolder(bytes.digests.sha256))
      return new FileStagedBlob({ bytes, temporary, target, syncTargetFolder })
    } catch (error) {
      await rm(temporary, { force: true })
      throw asWriteFailure(error, options.subject ?? 'the bytes')
    }
  }

  async commitAll(staged: readonly StagedBlob[]): Promise<void> {
    const own = staged.map((blob) => this.#own(blob))
    await forEachBounded(own, parallelFiles, (blob) => blob.place())
    const folders = new Set(own.map(({ sha256 }) => this.#paths.bucketFolder(sha256)))
    await forEachBounded(folders, parallelFiles, syncFolder)
  }

  async open(sha256: string, range?: ByteRange): Promise<OpenedBlob> {
    return openBlobFile(this.#paths.blob(sha256), sha256, range)
  }

  async scratch(): Promise<ScratchFile> {
    try {
      return await openScratchFile(this.#paths.temporary(this.#owner))
    } catch (error) {
      throw asWriteFailure(error, 'what is worked on')
    }
  }

  async stat(sha256: string): Promise<BlobStat | undefined> {
    return statFile(this.#paths.blob(sha256))
  }

  async delete(sha256: string): Promise<boolean> {
    const path = this.#paths.blob(sha256)
    try {
      await unlink(path)
      return true
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
      throw error
    }
  }

  async *list(): AsyncGenerator<ListedBlob, void, undefined> {
    for (const folder of this.#paths.bucketFolders) {
      const names = (await readdir(folder)).filter((name) => isInFolder(name, folder)).sort()
      const found = new Map<string, BlobStat | undefined>(names.map((name) => [name, undefined]))
      await forEachBounded(names, parallelFiles, async (name) => {
        found.set(name, await statFile(join(folder, name)))
      })
      for (const [sha256, known] of found) if (known !== undefined) yield { sha256, ...known }
    }
  }

  #own(blob: StagedBlob): FileStagedBlob {
    if (blob instanceof FileStagedBlob && blob.target === this.#paths.blob(blob.sha256)) return blob
    throw new TypeError(`Cannot commit blob "${blob.sha256}": another store staged it`)
  }
}

async function writeChecked(
  path: string,
  incoming: IncomingBytes,
  onGrowing: StageOptions['onGrowing'],
): Promise<CheckedBytes> {
  const handle = await open(path, 'wx+', fileMode)
  const growing = new GrowingFile(handle)
  try {
    for await (const chunk of incoming) {
      await writeFully(handle, chunk)
      growing.sizeBytes += chunk.byteLength
      onGrowing?.(growing)
    }
  } finally {
    growing.isOpen = false
    await handle.close()
  }
  return incoming.finish()
}

async function statFile(path: string): Promise<BlobStat | undefined> {
  try {
    const { size, mtime } = await stat(path)
    return { sizeBytes: size, modifiedAt: mtime }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function isInFolder(name: string, folder: string): boolean {
  return isDigest('sha256', name) && name.startsWith(basename(folder))
}

async function removeLeftovers(paths: BlobPaths, here: TemporaryOwner): Promise<void> {
  const names = await readdir(paths.temporaryFolder)
  await forEachBounded(names, parallelFiles, async (name) => {
    const path = join(paths.temporaryFolder, name)
    const owner = ownerOfTemporary(name)
    const isOrphan = owner !== undefined && isGone(owner, here)
    if (isOrphan || (await isOld(path))) await rm(path, { force: true, recursive: true })
  })
}

async function isOld(path: string): Promise<boolean> {
  const known = await statFile(path)
  return known !== undefined && Date.now() - known.modifiedAt.getTime() > dayMs
}
