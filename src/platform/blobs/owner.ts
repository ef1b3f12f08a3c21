import { createHash } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import type { TemporaryOwner } from './paths.ts'

/** The name of a place whose process numbers nobody else can judge. */
const unknownPlace = 'unknown'

/**
 * This process, as the owner of temporary files. A place is one boot of one kernel and one pid namespace: only there a
 * process number means the same process. Where that cannot be found out (not Linux), the place is `unknown`.
 */
export function thisOwner(): TemporaryOwner {
  return { place: readPlace(), pid: process.pid }
}

/** True only when it is certain that the owner is gone: it ran in this very place and its number is free. */
export function isGone({ place, pid }: TemporaryOwner, here: TemporaryOwner): boolean {
  if (place === unknownPlace || place !== here.place || pid === here.pid) return false
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

function readPlace(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')
    const namespace = readlinkSync('/proc/self/ns/pid')
    return createHash('sha256').update(`${boot}${namespace}`).digest('hex').slice(0, 16)
  } catch {
    return unknownPlace
  }
}
