import { AppError } from '../../../platform/errors.ts'
import { errno, errorName, errors, type Libc } from '../../../platform/native/libc.ts'

const devicePath = '/dev/net/tun'
const readWrite = 2
const nonBlocking = 0o4000
const closeOnExec = 0o2000000

/** Requests and flags of the kernel's networking/tuntap (linux/if_tun.h). */
const tunSetInterface = 0x400454ca
const tunSetOffload = 0x400454d0
const tunSetHeaderSize = 0x400454d8
const flagTap = 0x0002
const flagNoPacketInformation = 0x1000
const flagVnetHeader = 0x4000
const offloadChecksum = 0x01
const offloadTcp4 = 0x02
const offloadTcp6 = 0x04
const offloadUdp4 = 0x20
const offloadUdp6 = 0x40

/** `struct ifreq` (netdevice(7)): the name, then the flags. */
const requestBytes = 40
const requestFlags = 16

const vnetHeaderBytes = 10

const meaningOf: Readonly<Record<number, string>> = {
  [errors.EPERM]: 'it needs root',
  [errors.EACCES]: 'it needs root',
  [errors.EBUSY]: 'it is in use',
  [errors.EINVAL]: 'an interface of that name is no TAP device with one queue',
}

/**
 * Opens a TAP device in the asking thread's network namespace, without waiting and with offloads: each frame has a
 * `virtio_net_hdr` of 10 bytes before it. A device of that name is joined; without one, one is made that is down and
 * goes when the descriptor is closed. The caller owns the descriptor. Throws `conflict` when the device is in use, is
 * something else or this user may not, and `unavailable` for anything else.
 */
export function openTap(libc: Libc, name: string): number {
  const fd = libc.open(devicePath, readWrite | nonBlocking | closeOnExec)
  if (fd < 0) throw refusal(name)
  try {
    const request = Buffer.alloc(requestBytes)
    request.write(name)
    request.writeUInt16LE(flagTap | flagNoPacketInformation | flagVnetHeader, requestFlags)
    if (libc.ioctl(fd, tunSetInterface, 'void *', request) < 0) throw refusal(name)
    offerOffloads(libc, fd, name)
    return fd
  } catch (error) {
    libc.close(fd)
    throw error
  }
}

/** A device that is joined may have another size of header from before. UDP segments are known since Linux 6.2. */
function offerOffloads(libc: Libc, fd: number, name: string): void {
  if (libc.ioctl(fd, tunSetHeaderSize, 'void *', new Int32Array([vnetHeaderBytes])) < 0) throw refusal(name)
  const tcp = offloadChecksum | offloadTcp4 | offloadTcp6
  if (libc.ioctl(fd, tunSetOffload, 'unsigned long', tcp | offloadUdp4 | offloadUdp6) === 0) return
  if (libc.ioctl(fd, tunSetOffload, 'unsigned long', tcp) < 0) throw refusal(name)
}

function refusal(name: string): AppError {
  const code = errno()
  const meaning = meaningOf[code]
  const cause = new Error(errorName(code))
  return new AppError(
    meaning === undefined ? 'unavailable' : 'conflict',
    `Cannot open TAP device "${name}": ${meaning ?? cause.message}`,
    { cause },
  )
}
