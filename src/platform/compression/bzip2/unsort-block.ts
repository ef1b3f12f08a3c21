import type { SortedBlock } from './read-block.ts'

const pieceBytes = 256 * 1024

/** A repeated byte may become 255 more, which then must still fit. */
const longestRun = 255

/** Gives the bytes of a block in their order, with their runs, in pieces: few bytes may become very many. */
export function* unsortBlock({ bytes, origin }: SortedBlock): Generator<Uint8Array> {
  const followers = followersOf(bytes)
  let piece = Buffer.allocUnsafe(pieceBytes + longestRun)
  let length = 0
  let at = followers[origin] as number
  let previous = -1
  let repeated = 0
  for (let left = bytes.length; left > 0; left--) {
    const byte = bytes[at] as number
    at = followers[at] as number
    if (repeated === 4) {
      piece.fill(previous, length, length + byte)
      length += byte
      repeated = 0
      previous = -1
    } else {
      repeated = byte === previous ? repeated + 1 : 1
      previous = byte
      piece[length++] = byte
    }
    if (length < pieceBytes) continue
    yield piece.subarray(0, length)
    piece = Buffer.allocUnsafe(pieceBytes + longestRun)
    length = 0
  }
  if (length > 0) yield piece.subarray(0, length)
}

/** For each sorted byte where the one is that follows it in the text. */
function followersOf(bytes: Uint8Array): Uint32Array {
  const places = new Uint32Array(257)
  for (const byte of bytes) places[byte + 1] = (places[byte + 1] as number) + 1
  for (let byte = 0; byte < 256; byte++) places[byte + 1] = (places[byte + 1] as number) + (places[byte] as number)
  const followers = new Uint32Array(bytes.length)
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number
    followers[places[byte] as number] = at
    places[byte] = (places[byte] as number) + 1
  }
  return followers
}
