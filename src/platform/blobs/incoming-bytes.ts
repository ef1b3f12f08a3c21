import { AppError } from '../errors.ts'
import { abortable } from './abortable.ts'
import type { StageOptions } from './blob-store.ts'
import { type DigestAlgorithm, type Digests, digestAlgorithms, Hasher } from './digests.ts'

/** What was found out about bytes that were read to their end. */
export interface CheckedBytes {
  readonly sizeBytes: number
  readonly digests: Digests & { readonly sha256: string }
}

/**
 * Bytes on their way into a store: counted and hashed while they pass, cut as soon as there are too many. Every store
 * uses this, so that all of them refuse the same things in the same words.
 */
export class IncomingBytes implements AsyncIterable<Uint8Array> {
  readonly #source: AsyncIterable<Uint8Array>
  readonly #options: StageOptions
  readonly #hasher: Hasher
  #sizeBytes = 0

  constructor(source: AsyncIterable<Uint8Array>, options: StageOptions) {
    this.#source = source
    this.#options = options
    const expected = digestAlgorithms.filter((algorithm) => options.expected?.[algorithm] !== undefined)
    this.#hasher = new Hasher([...expected, ...(options.digests ?? [])])
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const chunk of abortable(this.#source, this.#options.signal)) {
      if (chunk.byteLength === 0) continue
      this.#sizeBytes += chunk.byteLength
      this.#refuseTooMany()
      this.#hasher.update(chunk)
      yield chunk
    }
  }

  /** Ends the check after all bytes were read; can be called once. Throws AppError when they are the wrong ones. */
  finish(): CheckedBytes {
    const digests = this.#hasher.finish()
    const { expected = {} } = this.#options
    if (expected.sizeBytes !== undefined && this.#sizeBytes !== expected.sizeBytes) {
      throw this.#refusal(`it has ${this.#sizeBytes} bytes instead of ${expected.sizeBytes}`)
    }
    for (const algorithm of digestAlgorithms) this.#compare(algorithm, digests)
    return { sizeBytes: this.#sizeBytes, digests }
  }

  #refuseTooMany(): void {
    const { expected, maxBytes = Number.POSITIVE_INFINITY } = this.#options
    const expectedBytes = expected?.sizeBytes ?? Number.POSITIVE_INFINITY
    if (this.#sizeBytes > expectedBytes) throw this.#refusal(`it has more than the expected ${expectedBytes} bytes`)
    if (this.#sizeBytes > maxBytes) throw this.#refusal(`it has more than the ${maxBytes} bytes that are allowed`)
  }

  #compare(algorithm: DigestAlgorithm, digests: Digests): void {
    const wanted = this.#options.expected?.[algorithm]?.toLowerCase()
    if (wanted === undefined || wanted === digests[algorithm]) return
    throw this.#refusal(`its ${algorithm} is ${digests[algorithm]} instead of ${wanted}`)
  }

  #refusal(reason: string): AppError {
    const { blame = 'invalid', subject = 'the bytes' } = this.#options
    return new AppError(blame, `Cannot keep ${subject}: ${reason}`)
  }
}
