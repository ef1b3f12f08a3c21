import { wrongDocument } from '../xml/xml-error.ts'

const start = '<package'
const end = '</package>'
/** What one package may take; those with the most files have some megabytes. */
const maxElementBytes = 16 * 1024 * 1024
/** The id is among the first attributes. */
const headBytes = 1024

/**
 * A long list of packages without those that are not wanted. What is left is still to be checked.
 *
 * @throws AppError `upstream` when a package has no end
 */
export function onlyPackages(
  content: AsyncIterable<Uint8Array>,
  isWanted: (pkgid: string) => boolean,
  document: string,
): AsyncGenerator<Uint8Array> {
  return passOver(content, (element) => !isWanted(idOf(element.subarray(0, headBytes))), document)
}

/**
 * A list of packages without some of them, of which each is passed over much faster than it could be read.
 *
 * @throws AppError `upstream` when a package has no end
 */
export async function* passOver(
  content: AsyncIterable<Uint8Array>,
  isPassedOver: (element: Buffer) => boolean,
  document: string,
): AsyncGenerator<Uint8Array> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of content) {
    const bytes = Buffer.concat([rest, chunk])
    const { parts, read } = partsLeft(bytes, isPassedOver)
    rest = bytes.subarray(read)
    if (rest.length > maxElementBytes)
      throw wrongDocument(document, `it has a package of more than ${maxElementBytes} bytes`)
    if (parts.length > 0) yield Buffer.concat(parts)
  }
  yield rest
}

/** What is left up to the end of the last whole package, and where that is. */
function partsLeft(
  bytes: Buffer,
  isPassedOver: (element: Buffer) => boolean,
): { readonly parts: readonly Buffer[]; readonly read: number } {
  const parts: Buffer[] = []
  let read = 0
  for (let to = bytes.indexOf(end); to !== -1; to = bytes.indexOf(end, read)) {
    const next = to + end.length
    const found = bytes.subarray(read, to).indexOf(start)
    const from = found === -1 ? to : read + found
    // what is before the first package is the beginning of the document
    if (from > read) parts.push(bytes.subarray(read, from))
    const element = bytes.subarray(from, next)
    if (!isPassedOver(element)) parts.push(element)
    read = next
  }
  return { parts, read }
}

function idOf(head: Buffer): string {
  return /pkgid\s*=\s*["']([0-9a-fA-F]+)["']/.exec(head.toString('latin1'))?.[1]?.toLowerCase() ?? ''
}
