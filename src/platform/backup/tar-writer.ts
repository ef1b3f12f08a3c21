export interface TarEntry {
  /** At most 100 bytes of ASCII. */
  readonly name: string
  readonly sizeBytes: number
  readonly content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

const blockBytes = 512

/**
 * The entries as a tar file (POSIX ustar). A generator, so that a slow reader holds up whatever makes the entries and
 * one that leaves ends it.
 */
export async function* writeTar(entries: AsyncIterable<TarEntry>, modifiedAt: Date): AsyncGenerator<Uint8Array> {
  for await (const { name, sizeBytes, content } of entries) {
    yield encodeHeader(name, sizeBytes, modifiedAt)
    let writtenBytes = 0
    for await (const chunk of content) {
      writtenBytes += chunk.byteLength
      yield chunk
    }
    if (writtenBytes !== sizeBytes) throw new Error(`"${name}" has ${writtenBytes} bytes instead of ${sizeBytes}`)
    const restBytes = sizeBytes % blockBytes
    if (restBytes > 0) yield Buffer.alloc(blockBytes - restBytes)
  }
  yield Buffer.alloc(2 * blockBytes)
}

function encodeHeader(name: string, sizeBytes: number, modifiedAt: Date): Buffer {
  const header = Buffer.alloc(blockBytes)
  const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, '0')}\0`
  header.write(name, 0, 'ascii')
  header.write(octal(0o600, 8), 100)
  header.write(octal(0, 8), 108)
  header.write(octal(0, 8), 116)
  writeSize(header, sizeBytes)
  header.write(octal(Math.floor(modifiedAt.getTime() / 1000), 12), 136)
  header.write(' '.repeat(8), 148)
  header.write('0', 156)
  header.write('ustar\x0000', 257)
  header.write(`${octal(checksum(header), 7)} `, 148)
  return header
}

/** Eleven octal digits hold less than 8 GiB; beyond that the number is binary and the first bit is set. */
function writeSize(header: Buffer, sizeBytes: number): void {
  const octalDigits = sizeBytes.toString(8)
  if (octalDigits.length <= 11) {
    header.write(`${octalDigits.padStart(11, '0')}\0`, 124)
    return
  }
  header.writeUInt8(0x80, 124)
  header.writeBigUInt64BE(BigInt(sizeBytes), 128)
}

function checksum(header: Buffer): number {
  let sum = 0
  for (const byte of header) sum += byte
  return sum
}
