import type { Inbox } from './inbox.ts'
import type { Outbox } from './outbox.ts'

/** Where frames come from and go to. The descriptor is the owner's: a port never closes it. */
export interface Port {
  /** What becomes readable when frames wait; undefined for a port that tells its receiver instead. */
  readonly fd: number | undefined

  /** Whom a port without descriptor tells; set while its frames are taken. */
  receiver?: FrameReceiver | undefined

  /** Whether frames wait at a port without descriptor. */
  readonly hasFrames?: boolean

  /** Reads waiting frames into the inbox, at most a batch. Gives their number; 0 when there are none. */
  receive(inbox: Inbox): number

  /** Sends the frames of the outbox, in order; notes there those that were not taken. */
  send(outbox: Outbox): void

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
