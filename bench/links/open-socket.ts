import { encodeAddress, familyInet } from '../../src/links/dataplane/native/socket-address.ts'
import { openUdpSocket } from '../../src/links/dataplane/native/udp-socket.ts'
import type { Libc } from '../../src/platform/native/libc.ts'

const host = '127.0.0.1'
const datagramSocket = 2
const levelSocket = 1
const receiveBufferForce = 33
const receiveBufferBytes = 16 * 1024 * 1024

/** A UDP socket on a port of 127.0.0.1, connected to another port, or to none: then it takes frames of anyone. */
export function openSocket(libc: Libc, localPort: number, peerPort: number | undefined): number {
  const local = { host, port: localPort }
  if (peerPort !== undefined) return openUdpSocket(libc, { local, peer: { host, port: peerPort } }).fd

  const fd = libc.socket(familyInet, datagramSocket, 0)
  libc.setsockopt(fd, levelSocket, receiveBufferForce, new Int32Array([receiveBufferBytes]), 4)
  const address = encodeAddress(libc, local)
  if (libc.bind(fd, address, address.length) < 0) throw new Error(`Cannot listen on port ${localPort}`)
  return fd
}
