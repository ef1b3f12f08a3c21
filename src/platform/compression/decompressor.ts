import type { ByteSource } from './byte-source.ts'

export interface DecompressorContext {
  /** Makes the error that says what is wrong with the bytes. */
  wrong(problem: string, cause?: unknown): Error
  readonly signal: AbortSignal
}

/** Gives what is in compressed bytes, from their beginning to their end. */
export type Decompressor = (source: ByteSource, context: DecompressorContext) => AsyncIterable<Uint8Array>
