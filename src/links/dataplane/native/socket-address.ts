import { isIP } from 'node:net'
import { AppError } from '../../../platform/errors.ts'
import type { Libc } from '../../../platform/native/libc.ts'

export interface Address {
  readonly host: string
  readonly port: number
}

export const familyInet = 2
const familyInet6 = 10

/** The address family of a numeric host. Throws `invalid` for a name or a scoped address. */
export function familyOf(host: string): number {
  const version = host.includes('%') ? 0 : isIP(host)
  if (version === 0) throw new AppError('invalid', `Cannot use host "${host}": it is not an IP address`)
  return version === 4 ? familyInet : familyInet6
}

/** A `sockaddr_in` or `sockaddr_in6` (ip(7), ipv6(7)) for a numeric host. */
export function encodeAddress(libc: Libc, { host, port }: Address): Uint8Array {
  const family = familyOf(host)
  const encoded = new Uint8Array(family === familyInet ? 16 : 28)
  const view = new DataView(encoded.buffer)
  view.setUint16(0, family, true)
  view.setUint16(2, port)
  libc.inet_pton(family, host, encoded.subarray(family === familyInet ? 4 : 8))
  return encoded
}

/** The port that a socket is bound to. */
export function boundPort(libc: Libc, fd: number): number {
  const address = new Uint8Array(28)
  const size = new Uint32Array([address.length])
  libc.getsockname(fd, address, size)
  return new DataView(address.buffer).getUint16(2)
}
