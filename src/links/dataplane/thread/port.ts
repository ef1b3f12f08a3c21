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
  dropMalformed(lengthBytes: number): void
}

/** Where frames come from and go to. The descriptor is the owner's: a port never closes it. */
export interface Port {
  /** What becomes readable when frames wait; undefined for a port that tells its receiver instead. */
  readonly fd: number | undefined

  /** Whom a port without descriptor tells; set while its frames are taken. */
  receiver?: FrameReceiver | undefined

  /** Whether frames wait at a port without descriptor. */
  readonly hasFrames?: boolean

  /**
   * Reads what waits, a bounded part of it, by way of the inbox into the sink. Gives false when nothing can ever come
   * again, as the device is gone.
   */
  receive(inbox: Inbox, sink: FrameSink): boolean

  /** Sends the frames of the outbox, in order; notes there those that were not taken. */
  send(outbox: Outbox): void

  /** Sends a super-frame as it is. Gives whether the kernel took it. A port without this takes single frames only. */
  sendWhole?(frame: SuperFrame): boolean

  /** Called when the port is taken away from its link. */
  leave?(): void
}

/** What takes the frames of a port in. */
export interface FrameReceiver {
  /** Sees to it that the port's frames are received soon. */
  expectFrames(): void

  /** Counts a frame of that length for which the port had no room. */
  refuse(lengthBytes: number): void
}
