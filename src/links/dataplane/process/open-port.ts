import type { Libc } from '../../../platform/native/libc.ts'
import { openPacketSocket } from '../native/packet-socket.ts'
import { openTap } from '../native/tap-device.ts'
import { openUdpSocket } from '../native/udp-socket.ts'
import type { AttachedPort, DescriptorPortSpec } from '../protocol.ts'

export interface OpenedPort {
  readonly fd: number
  readonly attached: AttachedPort
}

/**
 * Opens what a port stands on in the asking thread's network namespace, whatever the port says about that. The caller
 * owns the descriptor. Throws as `openUdpSocket`, `openTap` and `openPacketSocket`.
 */
export function openPort(libc: Libc, port: DescriptorPortSpec): OpenedPort {
  switch (port.kind) {
    case 'udp': {
      const { fd, local } = openUdpSocket(libc, port)
      return { fd, attached: { local } }
    }
    case 'tap':
      return { fd: openTap(libc, port.name), attached: {} }
    case 'interface':
      return { fd: openPacketSocket(libc, port.name), attached: {} }
  }
}
