import { AppError } from '../../../platform/errors.ts'
import { errno, errorName, errors, type Libc } from '../../../platform/native/libc.ts'

/** Families, options and layouts of packet(7) (linux/if_packet.h). */
const familyPacket = 17
const rawSocket = 3
const nonBlocking = 0o4000
const closeOnExec = 0o2000000
const everyProtocol = 0x0003
const levelPacket = 263
const addMembership = 1
const auxiliaryData = 8
const vnetHeader = 15
const ignoreOutgoing = 23
const promiscuous = 1
const addressBytes = 20
const hardwareTypeAt = 8
const ethernet = 1
const loopback = 772

const levelSocket = 1
const optionSendBufferForce = 32
const optionReceiveBufferForce = 33
const receiveBufferBytes = 16 * 1024 * 1024
const sendBufferBytes = 4 * 1024 * 1024

const meaningOf: Readonly<Record<number, string>> = {
  [errors.EPERM]: 'it needs root',
  [errors.EACCES]: 'it needs root',
  [errors.ENODEV]: 'there is no such interface',
}

/**
 * Opens a packet(7) socket on a network interface of the asking thread's network namespace: it takes every frame that
 * comes in there, whoever it is for, and none that goes out. Each frame has a `virtio_net_hdr` of 10 bytes before it.
 * The caller owns the descriptor. Throws `conflict` when there is no such interface, it is not Ethernet or this user
 * may not, and `unavailable` for anything else.
 */
export function openPacketSocket(libc: Libc, name: string): number {
  // Without a protocol it takes nothing until it is bound.
  const fd = libc.socket(familyPacket, rawSocket | nonBlocking | closeOnExec, 0)
  if (fd < 0) throw refusal(name)
  try {
    const index = libc.if_nametoindex(name)
    if (index === 0) throw refusal(name)
    tune(libc, fd, name)
    bind(libc, fd, { name, index })
    return fd
  } catch (error) {
    libc.close(fd)
    throw error
  }
}

interface Interface {
  readonly name: string
  readonly index: number
}

function tune(libc: Libc, fd: number, name: string): void {
  const set = (level: number, option: number, value: number) =>
    libc.setsockopt(fd, level, option, new Int32Array([value]), 4) === 0
  set(levelSocket, optionReceiveBufferForce, receiveBufferBytes)
  set(levelSocket, optionSendBufferForce, sendBufferBytes)
  const isSet = [vnetHeader, auxiliaryData, ignoreOutgoing].every((option) => set(levelPacket, option, 1))
  if (!isSet) throw refusal(name)
}

/** `struct sockaddr_ll` and `struct packet_mreq`. */
function bind(libc: Libc, fd: number, { name, index }: Interface): void {
  const address = Buffer.alloc(addressBytes)
  address.writeUInt16LE(familyPacket, 0)
  address.writeUInt16BE(everyProtocol, 2)
  address.writeInt32LE(index, 4)
  if (libc.bind(fd, address, address.length) < 0) throw refusal(name)

  libc.getsockname(fd, address, new Uint32Array([address.length]))
  const type = address.readUInt16LE(hardwareTypeAt)
  if (type !== ethernet && type !== loopback) {
    throw new AppError('conflict', `Cannot use interface "${name}": it carries no Ethernet frames`)
  }

  const membership = Buffer.alloc(16)
  membership.writeInt32LE(index, 0)
  membership.writeUInt16LE(promiscuous, 4)
  if (libc.setsockopt(fd, levelPacket, addMembership, membership, membership.length) < 0) throw refusal(name)
}

function refusal(name: string): AppError {
  const code = errno()
  const meaning = meaningOf[code]
  const cause = new Error(errorName(code))
  return new AppError(
    meaning === undefined ? 'unavailable' : 'conflict',
    `Cannot use interface "${name}": ${meaning ?? cause.message}`,
    { cause },
  )
}
