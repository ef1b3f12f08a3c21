import type { Inbox } from './inbox.ts'
import type { Outbox } from './outbox.ts'
import type { SuperFrame } from './super-frame.ts'

/** What takes the frames that come in at a port: a direction of a link. */
export interface FrameSink {
  /** Takes `count` frames in from the inbox. */
  accept(inbox: Inbox, count: number, nowMs: number): void

  /** Passes a surveyed super-frame on as it is. Gives false when it must be cut and be taken in frame by frame. */
  pass(frame: SuperFrame): boolean

  /** Drops what makes no sense. */
  refuse(lengthBytes: number): void
}

/** Where frames come from and go to. The descriptor is the owner's: a port never closes it. */
export interface Port {
  readonly fd: number

  /**
   * Reads what waits, a bounded part of it, by way of the inbox into the sink. Gives false when nothing can ever come
   * again, as the device is gone.
   */
  receive(inbox: Inbox, sink: FrameSink): boolean

  /** Sends the frames of the outbox, in order; notes there those that the kernel did not take. */
  send(outbox: Outbox): void

  /** Sends a super-frame as it is. Gives whether the kernel took it. A port without this takes single frames only. */
  sendWhole?(frame: SuperFrame): boolean
}
