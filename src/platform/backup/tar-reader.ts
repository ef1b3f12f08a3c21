import { Readable } from 'node:stream'
import { extract } from 'tar-stream'
import { AppError, messageOf } from '../errors.ts'

/** An entry whose content must be read to its end before the next one can be asked for. */
export interface ReadEntry {
  readonly name: string
  readonly sizeBytes: number
  readonly content: AsyncIterable<Uint8Array>
}

/** The entries of a tar file one after the other, with a look at the next one. Only plain files are taken. */
export class TarReader implements AsyncDisposable {
  readonly #entries: AsyncGenerator<ReadEntry, void, undefined>
  #next: Promise<IteratorResult<ReadEntry, void>> | undefined

  constructor(input: AsyncIterable<Uint8Array>) {
    this.#entries = readEntries(input)
  }

  /** The next entry, which stays the next one; `undefined` at the end of the file. */
  async peek(): Promise<ReadEntry | undefined> {
    this.#next ??= this.#entries.next()
    const { done, value } = await this.#next
    return done === true ? undefined : (value as ReadEntry)
  }

  /** @throws AppError `invalid` when the next entry is not the one of that name */
  async take(name: string): Promise<ReadEntry> {
    const entry = await this.peek()
    if (entry?.name !== name) {
      throw new AppError('invalid', `Cannot restore: ${describe(entry)} where ${name} should be`)
    }
    this.#next = undefined
    return entry
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#entries.return()
  }
}

/** Reads a small entry. Throws AppError `invalid` when it is not small. */
export async function readText({ name, sizeBytes, content }: ReadEntry, maxBytes: number): Promise<string> {
  if (sizeBytes > maxBytes) throw new AppError('invalid', `Cannot restore: ${name} has more than ${maxBytes} bytes`)
  const chunks: Uint8Array[] = []
  for await (const chunk of content) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

function describe(entry: ReadEntry | undefined): string {
  return entry === undefined ? 'the backup ends' : `the backup has ${JSON.stringify(entry.name.slice(0, 100))}`
}

async function* readEntries(input: AsyncIterable<Uint8Array>): AsyncGenerator<ReadEntry, void, undefined> {
  const tar = extract()
  const source = Readable.from(input, { objectMode: false })
  let failure: unknown
  source.on('error', (error) => {
    failure = error
    tar.destroy(error)
  })
  source.pipe(tar)
  try {
    for await (const entry of tar) {
      const { name, type, size = 0 } = entry.header
      if (type !== 'file') throw new AppError('invalid', `Cannot restore: the backup has a ${type} in it`)
      yield { name, sizeBytes: size, content: readContent(entry as unknown as AsyncIterable<Uint8Array>) }
    }
  } catch (error) {
    throw failure ?? asUnreadable(error)
  } finally {
    source.destroy()
    tar.destroy()
  }
}

async function* readContent(entry: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* entry
  } catch (error) {
    throw asUnreadable(error)
  }
}

function asUnreadable(error: unknown): unknown {
  if (error instanceof AppError) return error
  return new AppError('invalid', `Cannot restore: the backup cannot be read (${messageOf(error)})`, { cause: error })
}
