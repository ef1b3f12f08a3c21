import { performance } from 'node:perf_hooks'
import type { DeviceCalls, ReadOutcome } from './device-calls.ts'
import type { Inbox } from './inbox.ts'
import { batchFrames, type Outbox } from './outbox.ts'
import type { FrameSink, Port } from './port.ts'
import { layFrame } from './segmenter.ts'
import type { SuperFrame } from './super-frame.ts'

/** What all device ports of a thread share. */
export interface DeviceParts {
  readonly calls: DeviceCalls
  readonly frame: SuperFrame
}

/** One wake-up takes no more frames of the wire (but for those of the last read), so that other ports get their turn. */
const mostFrames = 8 * batchFrames

/** What TAP devices and packet sockets have in common: super-frames come in, which are passed on or cut. */
abstract class DevicePort implements Port {
  readonly fd: number
  protected readonly calls: DeviceCalls
  readonly #frame: SuperFrame
  /** Frames of the inbox that are still to be handed over. */
  #laid = 0

  constructor(fd: number, { calls, frame }: DeviceParts) {
    this.fd = fd
    this.calls = calls
    this.#frame = frame
  }

  receive(inbox: Inbox, sink: FrameSink): boolean {
    const frame = this.#frame
    let outcome: ReadOutcome = 'frame'
    for (let frames = 0; frames < mostFrames; frames += frame.frames) {
      outcome = this.read(frame)
      if (outcome !== 'frame') break
      if (!frame.survey()) sink.dropMalformed(frame.length)
      // What is in the inbox goes first.
      else if (this.#laid > 0 || !sink.pass(frame)) this.#cut(inbox, sink)
    }
    this.#handOver(inbox, sink)
    return outcome !== 'gone'
  }

  send(outbox: Outbox): void {
    this.calls.write(this.fd, outbox)
  }

  protected abstract read(frame: SuperFrame): ReadOutcome

  /** Lays the frames of a super-frame behind those that are in the inbox already. */
  #cut(inbox: Inbox, sink: FrameSink): void {
    const { frames } = this.#frame
    for (let number = 0; number < frames; number += 1) {
      if (this.#laid === batchFrames) this.#handOver(inbox, sink)
      layFrame(this.#frame, number, { inbox, slot: this.#laid })
      this.#laid += 1
    }
  }

  #handOver(inbox: Inbox, sink: FrameSink): void {
    const count = this.#laid
    this.#laid = 0
    if (count > 0) sink.accept(inbox, count, performance.now())
  }
}

/** A TAP device (the kernel's networking/tuntap). */
export class TapPort extends DevicePort {
  sendWhole(frame: SuperFrame): boolean {
    return this.calls.writeWhole(this.fd, frame)
  }

  protected read(frame: SuperFrame): ReadOutcome {
    return this.calls.readTap(this.fd, frame)
  }
}

/** A network interface, by a packet(7) socket. */
export class InterfacePort extends DevicePort {
  protected read(frame: SuperFrame): ReadOutcome {
    return this.calls.readPacket(this.fd, frame)
  }
}
