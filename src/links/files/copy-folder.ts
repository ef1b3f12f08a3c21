import { chmod, constants, copyFile, lstat, mkdir, readdir, readlink, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError, messageOf } from '../../platform/errors.ts'
import { unfinishedPrefix } from './write-whole.ts'

/**
 * Copies what nodes left in a folder: files, folders, and links as they are. Pipes, sockets and devices are left out.
 * Nothing may run that writes there. A folder that is not there is an empty one.
 *
 * @throws AppError `conflict` for what cannot be copied
 */
export async function copyFolder(from: string, to: string): Promise<void> {
  try {
    await copy(from, to)
  } catch (error) {
    throw new AppError('conflict', `Cannot copy the files of a node: ${messageOf(error)}`, { cause: error })
  }
}

async function copy(from: string, to: string): Promise<void> {
  const found = await lstat(from).catch(() => undefined)
  if (found?.isDirectory() !== true) return
  await mkdir(to, { recursive: true, mode: 0o700 })
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (entry.name.startsWith(unfinishedPrefix)) continue
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) await copy(source, target)
    else if (entry.isFile()) await copyPlain(source, target)
    else if (entry.isSymbolicLink()) await symlink(await readlink(source), target)
  }
}

/** The copy is the server's until its node starts: a program that runs as its owner must not become one. */
async function copyPlain(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
  await chmod(to, (await lstat(to)).mode & 0o777)
}
