import { Worker } from 'node:worker_threads'
import { siblingModule } from '../../../../platform/module-path.ts'
import { bytesOf, type ListPiece, type OpenDigest, type OpenFacts } from './open-digest.ts'
import type { DigestAnswer } from './open-digest-thread.ts'

/** So much, compressed, may wait for the thread: whoever writes the next list meanwhile need not wait for it. */
const mostWaitingBytes = 64 * 1024 * 1024

/**
 * Opens and hashes in a thread of its own, beside whoever writes the pieces: the lists of a whole distribution are some
 * hundreds of megabytes. Disposing ends the thread.
 */
export class ThreadedOpenDigest implements OpenDigest, AsyncDisposable {
  readonly #worker = new Worker(siblingModule(import.meta, 'open-digest-thread'))
  readonly #facts = Promise.withResolvers<OpenFacts>()
  #room = Promise.withResolvers<void>()
  #waitingBytes = 0

  constructor() {
    // whoever asks for the facts is told; before that nobody may be there to be told
    this.#facts.promise.catch(() => undefined)
    this.#worker.on('message', (answer: DigestAnswer) => {
      if ('takenBytes' in answer) this.#noteTaken(answer.takenBytes)
      else this.#facts.resolve(answer)
    })
    this.#worker.once('error', (error) => this.#fail(error))
    this.#worker.once('exit', () => this.#fail(new Error('The thread that hashes a list has ended')))
  }

  async add(piece: ListPiece): Promise<void> {
    this.#waitingBytes += bytesOf(piece).length
    this.#worker.postMessage(piece)
    while (this.#waitingBytes > mostWaitingBytes) await Promise.race([this.#room.promise, this.#facts.promise])
  }

  finish(): Promise<OpenFacts> {
    this.#worker.postMessage('finish')
    return this.#facts.promise
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate()
  }

  #noteTaken(bytes: number): void {
    this.#waitingBytes -= bytes
    this.#room.resolve()
    this.#room = Promise.withResolvers()
  }

  #fail(error: Error): void {
    this.#facts.reject(error)
  }
}
