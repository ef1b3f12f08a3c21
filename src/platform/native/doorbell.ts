import { errno, errorName, type Libc } from './libc.ts'

const nonBlocking = 0o4000
const closeOnExec = 0o2000000

/** Makes an eventfd(2), by which one thread wakes another out of its wait. The caller closes it. */
export function openDoorbell(libc: Libc): number {
  const fd = libc.eventfd(0, nonBlocking | closeOnExec)
  if (fd < 0) throw new Error(`Cannot make an eventfd: ${errorName(errno())}`)
  return fd
}

const one = new BigUint64Array([1n])

export function ringDoorbell(libc: Libc, fd: number): void {
  libc.write(fd, one, 8)
}

const taken = new BigUint64Array(1)

export function clearDoorbell(libc: Libc, fd: number): void {
  libc.read(fd, taken, 8)
}
