import { setImmediate } from 'node:timers/promises'
import { decodeUtf8 } from './decode-utf8.ts'
import { RecordBuilder } from './record-builder.ts'
import type { XmlRecords } from './xml-element.ts'

export interface RecordOptions {
  /** What the document is called in messages. */
  readonly document: string
  /** What its root must be called. */
  readonly root: string
  /** How many levels of elements below a child of the root are given; all are checked. With 0 no text is given. */
  readonly levels: number
}

/**
 * Reads a document that is a list: gives the children of its root, those that arrived together at once. Memory holds one
 * piece of the document and one child. The first result has the root's attributes, even when nothing follows.
 *
 * @throws AppError `upstream` for anything that is not well-formed UTF-8 XML, or larger than `xml-limits.ts` says
 */
export async function* readRecords(
  content: AsyncIterable<Uint8Array>,
  options: RecordOptions,
): AsyncGenerator<XmlRecords, void, undefined> {
  const builder = new RecordBuilder(options)
  for await (const text of decodeUtf8(content, options.document)) {
    builder.add(text)
    const found = builder.take()
    if (found !== undefined) yield found
    // pieces that are there already would come without a turn for anybody else
    await setImmediate()
  }
  builder.finish()
  const found = builder.take()
  if (found !== undefined) yield found
}

/** Reads a document of moderate size as a whole. */
export async function readAllRecords(content: AsyncIterable<Uint8Array>, options: RecordOptions): Promise<XmlRecords> {
  const parts = await Array.fromAsync(readRecords(content, options))
  return { root: (parts[0] as XmlRecords).root, records: parts.flatMap(({ records }) => records) }
}
