import type { Inbox } from './inbox.ts'
import type { Outbox } from './outbox.ts'

/** Where frames come from and go to. The descriptor is the owner's: a port never closes it. */
export interface Port {
  readonly fd: number

  /** Reads waiting frames into the inbox, at most a batch. Gives their number; 0 when there are none. */
  receive(inbox: Inbox): number

  /** Sends the frames of the outbox, in order; notes there those that the kernel did not take. */
  send(outbox: Outbox): void
}
