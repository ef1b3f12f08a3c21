import type { Libc } from '../../../platform/native/libc.ts'
import { DeviceCalls } from './device-calls.ts'
import { type DeviceParts, InterfacePort, TapPort } from './device-port.ts'
import type { Port } from './port.ts'
import { SuperFrame } from './super-frame.ts'
import type { DescriptorPort } from './thread-calls.ts'
import { UdpPort } from './udp-port.ts'
import { UdpSender } from './udp-sender.ts'

/** Makes the ports of a thread, with what they share. */
export class PortFactory {
  readonly #sender: UdpSender
  readonly #parts: DeviceParts

  constructor(libc: Libc) {
    this.#sender = new UdpSender(libc)
    this.#parts = { calls: new DeviceCalls(libc), frame: new SuperFrame() }
  }

  create(port: DescriptorPort): Port {
    switch (port.kind) {
      case 'udp':
        return new UdpPort(port.fd, this.#sender)
      case 'tap':
        return new TapPort(port.fd, this.#parts)
      case 'interface':
        return new InterfacePort(port.fd, this.#parts)
    }
  }
}
