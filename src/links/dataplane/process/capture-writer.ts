import { type FileHandle, open } from 'node:fs/promises'
import { messageOf } from '../../../platform/errors.ts'
import { pcapHeader } from '../pcap-format.ts'
import { wholeRecordsLength } from './whole-records.ts'

export interface CaptureWriterOptions {
  /** Called with each block once it is written, or given up. */
  readonly onWritten: (block: ArrayBuffer) => void
  /** Called once when the file cannot be written any more. It is closed by then, and holds whole records only. */
  readonly onFailed: (reason: string) => void
}

interface QueuedBlock {
  readonly block: ArrayBuffer
  readonly length: number
}

/** How many blocks go to the kernel in one call. */
const blocksPerWrite = 64

/** Writes the blocks of one capture to its file, in order, all that wait in one go. */
export class CaptureWriter {
  readonly #file: FileHandle
  readonly #options: CaptureWriterOptions
  readonly #queue: QueuedBlock[] = []
  /** The end of what is whole in the file. */
  #length: number
  #work: Promise<void> = Promise.resolve()
  #isEnding = false
  #isClosed = false

  private constructor(file: FileHandle, length: number, options: CaptureWriterOptions) {
    this.#file = file
    this.#length = length
    this.#options = options
  }

  /** Makes the file anew; its header is written when this resolves. */
  static async create(path: string, options: CaptureWriterOptions): Promise<CaptureWriter> {
    const file = await open(path, 'w', 0o600)
    return CaptureWriter.#begin(file, 0, options)
  }

  /** Goes on with a file that was left in the middle: a record that is not whole is cut off. */
  static async resume(path: string, options: CaptureWriterOptions): Promise<CaptureWriter> {
    const file = await open(path, 'r+').catch(() => open(path, 'w+', 0o600))
    return CaptureWriter.#begin(file, await wholeRecordsLength(file), options)
  }

  static async #begin(file: FileHandle, length: number, options: CaptureWriterOptions): Promise<CaptureWriter> {
    try {
      await file.truncate(length)
      const writer = new CaptureWriter(file, length, options)
      if (length === 0) await writer.#append([pcapHeader()])
      return writer
    } catch (error) {
      await file.close()
      throw error
    }
  }

  /** Writes a block behind the others; gives it back unwritten once the capture has been ended. */
  write(block: ArrayBuffer, length: number): void {
    if (this.#isEnding) {
      this.#options.onWritten(block)
      return
    }
    this.#queue.push({ block, length })
    if (this.#queue.length === 1) this.#work = this.#work.then(() => this.#drain())
  }

  /** Closes the file once everything given so far is written. */
  async close(): Promise<void> {
    this.#isEnding = true
    this.#work = this.#work.then(() => this.#closeFile())
    await this.#work
  }

  /** Closes the file once everything given so far is written, and tells that the capture failed. */
  fail(reason: string): void {
    this.#isEnding = true
    this.#work = this.#work.then(() => this.#giveUp(reason))
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      const blocks = this.#queue.slice(0, blocksPerWrite)
      if (!this.#isClosed) await this.#writeBlocks(blocks)
      this.#queue.splice(0, blocks.length)
      for (const { block } of blocks) this.#options.onWritten(block)
    }
  }

  async #writeBlocks(blocks: readonly QueuedBlock[]): Promise<void> {
    try {
      await this.#append(blocks.map(({ block, length }) => Buffer.from(block, 0, length)))
    } catch (error) {
      await this.#giveUp(messageOf(error))
    }
  }

  async #append(parts: readonly Buffer[]): Promise<void> {
    let left = parts
    let end = this.#length
    while (left.length > 0) {
      const { bytesWritten } = await this.#file.writev(left, end)
      end += bytesWritten
      left = withoutFirst(left, bytesWritten)
    }
    this.#length = end
  }

  async #giveUp(reason: string): Promise<void> {
    if (this.#isClosed) return
    // A disk that is full may still have taken part of a block.
    await this.#file.truncate(this.#length).catch(() => undefined)
    await this.#closeFile()
    this.#options.onFailed(reason)
  }

  async #closeFile(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#file.close().catch(() => undefined)
  }
}

/** What is left of the parts when their first `count` bytes are done. */
function withoutFirst(parts: readonly Buffer[], count: number): readonly Buffer[] {
  let done = count
  let index = 0
  for (const part of parts) {
    if (done < part.length) break
    done -= part.length
    index += 1
  }
  const [first, ...rest] = parts.slice(index)
  return first === undefined ? [] : [first.subarray(done), ...rest]
}
