/** What a signature says of itself, which nobody has verified yet. */
export interface SignaturePacket {
  /** 16 hexadecimal digits, upper case; undefined when it does not say. */
  readonly keyId: string | undefined
  /** Upper case hexadecimal; undefined when it does not say. */
  readonly fingerprint: string | undefined
  /** In seconds since 1970; undefined when it does not say. */
  readonly createdAt: number | undefined
}

const signatureTag = 2
const subpacketTypes = { createdAt: 2, keyId: 16, fingerprint: 33 }

/** Reads the packet that the bytes begin with; undefined when it is no whole signature of version 3, 4 or 6. */
export function findSignaturePacket(bytes: Buffer): SignaturePacket | undefined {
  const body = findBody(bytes)
  if (body === undefined || body.length < 10) return undefined
  const version = body.readUInt8(0)
  if (version === 3) return readVersion3(body)
  return version === 4 || version === 6 ? readSubpackets(body, version === 4 ? 2 : 4) : undefined
}

/** Old and new packet formats (RFC 9580, 4.2); bodies in parts are not made for signatures. */
function findBody(bytes: Buffer): Buffer | undefined {
  const first = bytes[0] ?? 0
  const isNew = (first & 0xc0) === 0xc0
  const tag = isNew ? first & 0x3f : (first >> 2) & 0x0f
  if (first < 0x80 || tag !== signatureTag) return undefined
  const length = isNew ? findLength(bytes, 1) : findOldLength(bytes, first & 3)
  if (length === undefined || length.start + length.value > bytes.length) return undefined
  return bytes.subarray(length.start, length.start + length.value)
}

interface Length {
  readonly value: number
  readonly start: number
}

function findOldLength(bytes: Buffer, type: number): Length | undefined {
  if (type === 3) return { value: bytes.length - 1, start: 1 }
  const size = 1 << type
  return bytes.length > size ? { value: bytes.readUIntBE(1, size), start: 1 + size } : undefined
}

/** One, two or five bytes, told by the first. */
function findLength(bytes: Buffer, at: number): Length | undefined {
  const first = bytes[at]
  if (first === undefined) return undefined
  if (first < 192) return { value: first, start: at + 1 }
  if (first < 224) {
    const second = bytes[at + 1]
    return second === undefined ? undefined : { value: ((first - 192) << 8) + second + 192, start: at + 2 }
  }
  return first === 255 && bytes.length >= at + 5 ? { value: bytes.readUInt32BE(at + 1), start: at + 5 } : undefined
}

function readVersion3(body: Buffer): SignaturePacket | undefined {
  if (body.length < 15) return undefined
  return { createdAt: body.readUInt32BE(3), keyId: toHex(body.subarray(7, 15)), fingerprint: undefined }
}

/** Those that are signed, then those that are not: both may say who signed. */
function readSubpackets(body: Buffer, countBytes: number): SignaturePacket | undefined {
  const found = new Map<number, Buffer>()
  let at = 4
  for (let area = 0; area < 2; area += 1) {
    if (at + countBytes > body.length) return undefined
    const end = at + countBytes + body.readUIntBE(at, countBytes)
    if (end > body.length || !collect(body.subarray(at + countBytes, end), found)) return undefined
    at = end
  }
  const time = found.get(subpacketTypes.createdAt)
  const fingerprint = found.get(subpacketTypes.fingerprint)
  return {
    createdAt: time?.length === 4 ? time.readUInt32BE(0) : undefined,
    fingerprint: fingerprint === undefined ? undefined : toHex(fingerprint.subarray(1)),
    keyId: keyIdOf(found.get(subpacketTypes.keyId), fingerprint),
  }
}

function collect(area: Buffer, found: Map<number, Buffer>): boolean {
  let at = 0
  while (at < area.length) {
    const length = findLength(area, at)
    if (length === undefined || length.value === 0 || length.start + length.value > area.length) return false
    const type = (area[length.start] as number) & 0x7f
    // What is signed comes first and counts.
    if (!found.has(type)) found.set(type, area.subarray(length.start + 1, length.start + length.value))
    at = length.start + length.value
  }
  return true
}

/** A fingerprint, behind the version of its key, ends with the id in version 4 and begins with it from version 5 on. */
function keyIdOf(keyId: Buffer | undefined, fingerprint: Buffer | undefined): string | undefined {
  if (keyId?.length === 8) return toHex(keyId)
  if (fingerprint === undefined || fingerprint.length < 21) return undefined
  return toHex(fingerprint[0] === 4 ? fingerprint.subarray(-8) : fingerprint.subarray(1, 9))
}

function toHex(bytes: Buffer): string {
  return bytes.toString('hex').toUpperCase()
}
