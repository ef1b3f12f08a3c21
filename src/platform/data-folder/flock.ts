import { closeSync, openSync } from 'node:fs'
import koffi from 'koffi'
import { AppError } from '../errors.ts'

// flock(2): the kernel gives the lock back when the process ends, however it ends
const LOCK_SH = 1
const LOCK_EX = 2
const LOCK_NB = 4

/** A lock on a file, held until it is disposed of or the process ends. */
export interface FileLock extends Disposable {}

/**
 * Takes the lock at once or not at all.
 *
 * @returns undefined when another process holds it in a way that excludes this one
 */
export function tryLockFile(path: string, mode: 'exclusive' | 'shared'): FileLock | undefined {
  const fd = openSync(path, 'a', 0o600)
  const flock = koffi.load(null as unknown as string).func('int flock(int fd, int operation)')
  const isLocked = flock(fd, (mode === 'exclusive' ? LOCK_EX : LOCK_SH) | LOCK_NB) === 0
  if (isLocked) return { [Symbol.dispose]: () => closeSync(fd) }
  const errno = koffi.errno()
  closeSync(fd)
  if (errno === koffi.os.errno['EWOULDBLOCK'] || errno === koffi.os.errno['EAGAIN']) return undefined
  throw new AppError('unavailable', `Cannot lock ${path}: the file system answered with error ${errno}`)
}
