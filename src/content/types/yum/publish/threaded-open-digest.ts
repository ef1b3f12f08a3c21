import { Worker } from 'node:worker_threads'
import { siblingModule } from '../../../../platform/module-path.ts'
import type { ListPiece, OpenDigest, OpenFacts } from './open-digest.ts'

/** So many pieces may wait for the thread. */
const mostWaiting = 16

/**
 * Opens and hashes in a thread of its own, beside whoever writes the pieces: the lists of a whole distribution are some
 * hundreds of megabytes. Disposing ends the thread.
 */
export class ThreadedOpenDigest implements OpenDigest, AsyncDisposable {
  readonly #worker = new Worker(siblingModule(import.meta, 'open-digest-thread'))
  readonly #facts = Promise.withResolvers<OpenFacts>()
  #room = Promise.withResolvers<void>()
  #waiting = 0

  constructor() {
    // whoever asks for the facts is told; before that nobody may be there to be told
    this.#facts.promise.catch(() => undefined)
    this.#worker.on('message', (answer: OpenFacts | 'taken') => {
      if (answer === 'taken') this.#noteTaken()
      else this.#facts.resolve(answer)
    })
    this.#worker.once('error', (error) => this.#fail(error))
    this.#worker.once('exit', () => this.#fail(new Error('The thread that hashes a list has ended')))
  }

  async add(piece: ListPiece): Promise<void> {
    this.#waiting += 1
    this.#worker.postMessage(piece)
    while (this.#waiting > mostWaiting) await Promise.race([this.#room.promise, this.#facts.promise])
  }

  finish(): Promise<OpenFacts> {
    this.#worker.postMessage('finish')
    return this.#facts.promise
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate()
  }

  #noteTaken(): void {
    this.#waiting -= 1
    this.#room.resolve()
    this.#room = Promise.withResolvers()
  }

  #fail(error: Error): void {
    this.#facts.reject(error)
  }
}
