import { AppError, messageOf } from '../../../platform/errors.ts'
import type { ThreadEvent } from '../thread/thread-calls.ts'
import { CaptureWriter } from './capture-writer.ts'
import type { DataThread } from './data-thread-handle.ts'

export interface CaptureTarget {
  readonly thread: DataThread
  readonly linkId: string
  readonly path: string
  readonly append: boolean
  /** Called once when the capture ended by itself. */
  readonly onFailed: (reason: string) => void
}

/** A capture that runs; `key` names it between the threads. */
export interface Capture {
  readonly key: number
  readonly thread: DataThread
  readonly linkId: string
  readonly path: string
  readonly writer: CaptureWriter
}

const overrun = 'the file could not be written as fast as frames came'

/** Joins what data threads record to the files it belongs in. */
export class CaptureDesk {
  readonly #captures = new Map<number, Capture>()
  #lastKey = 0

  /** Begins a capture. Its file, with a header, is there when this resolves. */
  async start({ thread, linkId, path, append, onFailed }: CaptureTarget): Promise<Capture> {
    this.#lastKey += 1
    const key = this.#lastKey
    const writer = await openWriter(path, append, {
      onWritten: (block) => {
        if (this.#captures.has(key)) thread.returnBlock({ key, block })
      },
      onFailed: (reason) => {
        void this.#forget(key)
        onFailed(reason)
      },
    })
    const capture = { key, thread, linkId, path, writer }
    this.#captures.set(key, capture)
    await thread.call('startCapture', { linkId, key })
    return capture
  }

  /** Ends a capture. Everything recorded is in its file when this resolves. */
  async stop(capture: Capture): Promise<void> {
    await this.#forget(capture.key)
    await capture.writer.close()
  }

  /** Takes what a data thread says. Blocks of a capture that has ended are let go. */
  receive(event: ThreadEvent): void {
    const capture = this.#captures.get(event.key)
    if (event.event === 'captureOverrun') capture?.writer.fail(overrun)
    else capture?.writer.write(event.block, event.length)
  }

  /** Once the thread has answered, all its blocks are here, and no more will come. */
  async #forget(key: number): Promise<void> {
    const capture = this.#captures.get(key)
    if (capture === undefined) return
    await capture.thread.call('stopCapture', { linkId: capture.linkId, key }).catch(() => undefined)
    this.#captures.delete(key)
  }
}

async function openWriter(
  path: string,
  append: boolean,
  options: Parameters<typeof CaptureWriter.create>[1],
): Promise<CaptureWriter> {
  try {
    return await (append ? CaptureWriter.resume(path, options) : CaptureWriter.create(path, options))
  } catch (error) {
    throw new AppError('unavailable', `Cannot write capture file "${path}": ${messageOf(error)}`, { cause: error })
  }
}
