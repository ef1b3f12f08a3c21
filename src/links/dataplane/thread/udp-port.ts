import { performance } from 'node:perf_hooks'
import type { Inbox } from './inbox.ts'
import type { Outbox } from './outbox.ts'
import type { FrameSink, Port } from './port.ts'
import type { SegmentLimit, UdpSender } from './udp-sender.ts'

/** A connected UDP socket that carries one bare Ethernet frame per datagram. */
export class UdpPort implements Port {
  readonly fd: number
  readonly #sender: UdpSender
  readonly #limit: SegmentLimit = { maxSegmentBytes: 0xffff }

  constructor(fd: number, sender: UdpSender) {
    this.fd = fd
    this.#sender = sender
  }

  /** An error is one that a sent datagram left behind (ICMP); reading it has cleared it. */
  receive(inbox: Inbox, sink: FrameSink): boolean {
    const count = inbox.receive(this.fd)
    if (count > 0) sink.accept(inbox, count, performance.now())
    return true
  }

  send(outbox: Outbox): void {
    this.#sender.send(this.fd, outbox, this.#limit)
  }
}
