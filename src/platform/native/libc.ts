import koffi from 'koffi'
import { AppError } from '../errors.ts'

/** An address in this process, or memory that JavaScript owns; `null` is the null pointer. */
export type Pointer = bigint | ArrayBufferView | null

/** The Linux calls that Node lacks. Each returns what the C function returns; `errno()` explains a -1. */
export interface Libc {
  socket(family: number, type: number, protocol: number): number
  bind(fd: number, address: Pointer, size: number): number
  connect(fd: number, address: Pointer, size: number): number
  getsockname(fd: number, address: Pointer, size: Pointer): number
  setsockopt(fd: number, level: number, option: number, value: Pointer, size: number): number
  inet_pton(family: number, text: string, address: Pointer): number
  recvmmsg(fd: number, messages: Pointer, count: number, flags: number, timeout: Pointer): number
  sendmmsg(fd: number, messages: Pointer, count: number, flags: number): number
  ppoll(fds: Pointer, count: number, timeout: Pointer, mask: Pointer): number
  epoll_create1(flags: number): number
  epoll_ctl(epoll: number, operation: number, fd: number, event: Pointer): number
  epoll_wait(epoll: number, events: Pointer, count: number, timeoutMs: number): number
  eventfd(initial: number, flags: number): number
  open(path: string, flags: number): number
  ioctl(fd: number, request: number, type: 'void *' | 'unsigned long', value: Pointer | number): number
  if_nametoindex(name: string): number
  read(fd: number, buffer: Pointer, size: number): number
  write(fd: number, buffer: Pointer, size: number): number
  writev(fd: number, iovecs: Pointer, count: number): number
  close(fd: number): number
  setns(fd: number, kind: number): number
  fcntl(fd: number, command: number, argument: number): number
  sendfile(out: number, from: number, offset: Pointer, count: number): number
  prctl(option: number, a: number, b: number, c: number, d: number): number
  clock_gettime(clock: number, time: Pointer): number
}

const prototypes = {
  socket: 'int socket(int, int, int)',
  bind: 'int bind(int, void *, unsigned int)',
  connect: 'int connect(int, void *, unsigned int)',
  getsockname: 'int getsockname(int, void *, void *)',
  setsockopt: 'int setsockopt(int, int, int, void *, unsigned int)',
  inet_pton: 'int inet_pton(int, str, void *)',
  recvmmsg: 'int recvmmsg(int, void *, unsigned int, int, void *)',
  sendmmsg: 'int sendmmsg(int, void *, unsigned int, int)',
  ppoll: 'int ppoll(void *, unsigned long, void *, void *)',
  epoll_create1: 'int epoll_create1(int)',
  epoll_ctl: 'int epoll_ctl(int, int, int, void *)',
  epoll_wait: 'int epoll_wait(int, void *, int, int)',
  eventfd: 'int eventfd(unsigned int, int)',
  open: 'int open(str, int)',
  ioctl: 'int ioctl(int, unsigned long, ...)',
  if_nametoindex: 'unsigned int if_nametoindex(str)',
  read: 'long read(int, void *, size_t)',
  write: 'long write(int, void *, size_t)',
  writev: 'long writev(int, void *, int)',
  close: 'int close(int)',
  setns: 'int setns(int, int)',
  fcntl: 'int fcntl(int, int, int)',
  sendfile: 'long sendfile(int, int, void *, size_t)',
  prctl: 'int prctl(int, unsigned long, unsigned long, unsigned long, unsigned long)',
  clock_gettime: 'int clock_gettime(int, void *)',
} as const satisfies Record<keyof Libc, string>

/** Binds the calls for the asking thread. Throws `unavailable` where the C library is not Linux's. */
export function loadLibc(): Libc {
  if (process.platform !== 'linux') {
    throw new AppError('unavailable', `Cannot use the calls of Linux on ${process.platform}`)
  }

  const library = koffi.load(null)
  const entries = Object.entries(prototypes).map(([name, prototype]) => [name, library.func(prototype)])
  return Object.fromEntries(entries) as Libc
}

/** The number of the last error of a call made by this thread. */
export function errno(): number {
  return koffi.errno()
}

/** The name of an error number, such as `EADDRINUSE`. */
export function errorName(code: number): string {
  for (const [name, value] of Object.entries(koffi.os.errno)) if (value === code) return name
  return `error ${code}`
}

/** Error numbers by name. */
export const errors = koffi.os.errno as Readonly<Record<ErrorName, number>>

type ErrorName =
  | 'EACCES'
  | 'EADDRINUSE'
  | 'EADDRNOTAVAIL'
  | 'EAGAIN'
  | 'EBUSY'
  | 'ECONNREFUSED'
  | 'EHOSTUNREACH'
  | 'EINTR'
  | 'EINVAL'
  | 'EIO'
  | 'EMSGSIZE'
  | 'ENETUNREACH'
  | 'ENOBUFS'
  | 'ENODEV'
  | 'EPERM'
