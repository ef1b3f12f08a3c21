import { AppError, type ErrorCode } from '../../../platform/errors.ts'
import { errno, errorName, errors, type Libc } from '../../../platform/native/libc.ts'
import { type Address, boundPort, encodeAddress, familyInet, familyOf } from './socket-address.ts'

export interface UdpEndpoints {
  readonly local: Address
  readonly peer: Address
}

export interface UdpSocket {
  readonly fd: number
  readonly local: Address
}

const datagramSocket = 2
const nonBlocking = 0o4000
const closeOnExec = 0o2000000

const levelSocket = 1
const optionSendBuffer = 7
const optionReceiveBuffer = 8
const optionSendBufferForce = 32
const optionReceiveBufferForce = 33

const levelIp = 0
const optionIpMtuDiscover = 10
const levelIp6 = 41
const optionIp6MtuDiscover = 23
const mtuDiscoverNever = 0

const receiveBufferBytes = 16 * 1024 * 1024
const sendBufferBytes = 4 * 1024 * 1024
const doNotWait = 0x40

const codeOf: Readonly<Record<number, ErrorCode>> = {
  [errors.EADDRINUSE]: 'conflict',
  [errors.EADDRNOTAVAIL]: 'invalid',
  [errors.EINVAL]: 'invalid',
  [errors.ENETUNREACH]: 'invalid',
}

const meaningOf: Readonly<Record<number, string>> = {
  [errors.EADDRINUSE]: 'the port is in use',
  [errors.EADDRNOTAVAIL]: 'the address is not one of this machine',
  [errors.EACCES]: 'this user may not use that port',
}

/**
 * Opens a UDP socket in the asking thread's network namespace that listens on `local` and takes datagrams of `peer`
 * only. The caller owns the descriptor. Throws `conflict` when the port is in use, `invalid` for addresses that
 * cannot work and `unavailable` for anything else.
 */
export function openUdpSocket(libc: Libc, endpoints: UdpEndpoints): UdpSocket {
  const { local, peer } = endpoints
  const family = familyOf(local.host)
  if (family !== familyOf(peer.host)) {
    throw new AppError('invalid', `Cannot join ${show(local)} to ${show(peer)}: one is IPv4, the other IPv6`)
  }

  const fd = libc.socket(family, datagramSocket | nonBlocking | closeOnExec, 0)
  if (fd < 0) throw refusal(`Cannot open a socket for ${show(local)}`)
  try {
    tune(libc, fd, family)
    join(libc, fd, endpoints)
    return { fd, local: { host: local.host, port: boundPort(libc, fd) } }
  } catch (error) {
    libc.close(fd)
    throw error
  }
}

function join(libc: Libc, fd: number, { local, peer }: UdpEndpoints): void {
  const from = encodeAddress(libc, local)
  if (libc.bind(fd, from, from.length) < 0) throw refusal(`Cannot listen on ${show(local)}`)
  const to = encodeAddress(libc, peer)
  if (libc.connect(fd, to, to.length) < 0) throw refusal(`Cannot send to ${show(peer)} from ${show(local)}`)
  dropStrangers(libc, fd)
}

/** Between bind and connect anyone may have sent something: that is thrown away. */
function dropStrangers(libc: Libc, fd: number): void {
  const message = new Uint32Array(16)
  while (libc.recvmmsg(fd, message, 1, doNotWait, null) > 0) message.fill(0)
}

function tune(libc: Libc, fd: number, family: number): void {
  const set = (level: number, option: number, value: number) =>
    libc.setsockopt(fd, level, option, new Int32Array([value]), 4) === 0

  // The forced variants need CAP_NET_ADMIN; the others are cut to the system's limit.
  if (!set(levelSocket, optionReceiveBufferForce, receiveBufferBytes)) {
    set(levelSocket, optionReceiveBuffer, receiveBufferBytes)
  }
  if (!set(levelSocket, optionSendBufferForce, sendBufferBytes)) set(levelSocket, optionSendBuffer, sendBufferBytes)

  // Jumbo frames are fragmented rather than refused.
  if (family === familyInet) set(levelIp, optionIpMtuDiscover, mtuDiscoverNever)
  else set(levelIp6, optionIp6MtuDiscover, mtuDiscoverNever)
}

function refusal(what: string): AppError {
  const code = errno()
  const name = errorName(code)
  return new AppError(codeOf[code] ?? 'unavailable', `${what}: ${meaningOf[code] ?? name}`, { cause: new Error(name) })
}

function show({ host, port }: Address): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}
