import { wrongDocument } from '../xml/xml-error.ts'

const start = '<package'
const end = '</package>'
/** What one package may take; those with the most files have some megabytes. */
const maxElementBytes = 16 * 1024 * 1024
/** The id is among the first attributes. */
const headBytes = 1024

/**
 * A long list of packages without those that are not wanted, which are passed over much faster than they could be read. What is
 * left is still to be checked.
 *
 * @throws AppError `upstream` when a package has no end
 */
export async function* onlyPackages(
  content: AsyncIterable<Uint8Array>,
  isWanted: (pkgid: string) => boolean,
  document: string,
): AsyncGenerator<Uint8Array> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of content) {
    const bytes =
      rest.length === 0 ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length) : Buffer.concat([rest, chunk])
    const kept: Buffer[] = []
    let at = 0
    for (let to = bytes.indexOf(end); to !== -1; to = bytes.indexOf(end, at)) {
      const from = bytes.indexOf(start, at)
      const next = to + end.length
      // what is before the first package is the beginning of the document
      if (from === -1 || from > to) kept.push(bytes.subarray(at, next))
      else {
        if (from > at) kept.push(bytes.subarray(at, from))
        if (isWanted(idOf(bytes.subarray(from, Math.min(to, from + headBytes))))) kept.push(bytes.subarray(from, next))
      }
      at = next
    }
    rest = bytes.subarray(at)
    if (rest.length > maxElementBytes)
      throw wrongDocument(document, `it has a package of more than ${maxElementBytes} bytes`)
    if (kept.length > 0) yield Buffer.concat(kept)
  }
  yield rest
}

function idOf(head: Buffer): string {
  return /pkgid\s*=\s*["']([0-9a-fA-F]+)["']/.exec(head.toString('latin1'))?.[1]?.toLowerCase() ?? ''
}
