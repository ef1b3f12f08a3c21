import { randomUUID } from 'node:crypto'
import { constants, type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../platform/errors.ts'
import { unfinishedPrefix } from './write-whole.ts'

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants

export interface FolderPlace {
  /** A folder that only the server can replace. */
  readonly root: string
  /** The folders below it. */
  readonly parts: readonly string[]
}

/**
 * A folder that is held open. Programs of nodes may write in the folders of files at any time, and put links in the place
 * of what was looked at a moment ago: so each part of a path is opened from the one before it, without following links.
 */
export class HeldFolder implements AsyncDisposable {
  readonly #handle: FileHandle
  readonly #path: string

  constructor(handle: FileHandle, path: string) {
    this.#handle = handle
    this.#path = path
  }

  /** @throws AppError `not_found` when it is not there; with `makes` it is made then */
  static async open({ root, parts }: FolderPlace, makes = false): Promise<HeldFolder> {
    return explained(async () => {
      if (makes) await mkdir(root, { recursive: true, mode: 0o700 })
      let folder = await openAt(root)
      for (const part of parts) {
        await using parent = folder
        folder = await parent.#child(part, makes)
      }
      return folder
    })
  }

  /** @throws AppError `not_found` for what is no plain file */
  async openFile(name: string): Promise<{ file: FileHandle; sizeBytes: number }> {
    return explained(async () => {
      const file = await open(this.#at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
      const found = await file.stat()
      if (found.isFile()) return { file, sizeBytes: found.size }
      await file.close()
      throw noFile()
    })
  }

  /** Writes all bytes; `commit` decides whether the file may then have its name, and calls what gives it. */
  async writeFile(
    name: string,
    bytes: AsyncIterable<Uint8Array>,
    commit: (giveName: () => Promise<void>) => Promise<void>,
  ): Promise<void> {
    const unfinished = this.#at(`${unfinishedPrefix}${randomUUID()}`)
    try {
      await explained(async () => this.#write(unfinished, bytes))
      await commit(() => explained(() => rename(unfinished, this.#at(name))))
    } finally {
      await rm(unfinished, { force: true })
    }
  }

  async #write(path: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    await using file = await open(path, 'wx', 0o644)
    await file.writeFile(bytes)
    await this.#giveToOwner(file)
  }

  async #child(name: string, makes: boolean): Promise<HeldFolder> {
    const path = this.#at(name)
    const isNew = makes && (await isMade(path))
    const child = await openAt(path, join(this.#path, name))
    if (isNew) await this.#giveToOwner(child.#handle)
    return child
  }

  /** What is added to a node's folder is the node's. */
  async #giveToOwner(file: FileHandle): Promise<void> {
    const { uid, gid } = await this.#handle.stat()
    if (process.getuid?.() === 0) await file.chown(uid, gid)
  }

  /** The path of what is called so in this very folder, whatever has become of the path that led here. */
  #at(name: string): string {
    return process.platform === 'linux' ? `/proc/self/fd/${this.#handle.fd}/${name}` : join(this.#path, name)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close()
  }
}

async function openAt(path: string, shownPath = path): Promise<HeldFolder> {
  return new HeldFolder(await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), shownPath)
}

async function isMade(path: string): Promise<boolean> {
  try {
    await mkdir(path, { mode: 0o755 })
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw asRefusal(error)
  }
}

const missing = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'ENXIO'])

function asRefusal(error: unknown): unknown {
  const code = codeOf(error)
  if (code === undefined || error instanceof AppError) return error
  if (missing.has(code)) return noFile(error)
  return new AppError('conflict', `Cannot use this file: ${reasons.get(code) ?? code}`, { cause: error })
}

const reasons = new Map([
  ['EISDIR', 'it is a folder'],
  ['EEXIST', 'it is a folder'],
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'the disk is full'],
])

function noFile(cause?: unknown): AppError {
  return new AppError('not_found', 'Cannot find this file', { cause })
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code
}
