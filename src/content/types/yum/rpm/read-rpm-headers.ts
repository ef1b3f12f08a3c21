import type { ByteReader } from './byte-reader.ts'
import { bytesAfterIntro, introBytes, RpmHeader } from './rpm-header.ts'
import { unreadable } from './unreadable-rpm.ts'

const leadBytes = 96
const leadMagic = 0xedabeedb
const sourceType = 1
const headerStyleSignature = 5

/** What an rpm says of itself; its payload follows the main header. */
export interface RpmHeaders {
  /** Whether it was made as a source package, even if no tag says so. */
  readonly isSource: boolean
  readonly signature: RpmHeader
  readonly main: RpmHeader
  /** Where the main header lies in the file: from the first byte up to, not including, the last. */
  readonly range: { readonly start: number; readonly end: number }
}

/** Asks for so many bytes, one piece after another, until the headers are read. */
type Steps<T> = Generator<number, T, Buffer>

/**
 * Reads the headers of an rpm from the beginning of its bytes.
 *
 * @throws AppError `invalid` when they are not headers of an rpm, or end too early
 */
export function parseRpmHeaders(bytes: Buffer): RpmHeaders {
  const steps = readSteps()
  let at = 0
  let step = steps.next()
  while (step.done !== true) {
    const end = at + step.value
    if (end > bytes.length) throw unreadable('it ends within its headers')
    step = steps.next(bytes.subarray(at, end))
    at = end
  }
  return step.value
}

/** The same from a stream, of which no byte behind the headers is taken. */
export async function readRpmHeaders(reader: ByteReader): Promise<RpmHeaders> {
  const steps = readSteps()
  let step = steps.next()
  while (step.done !== true) step = steps.next(await reader.take(step.value))
  return step.value
}

function* readSteps(): Steps<RpmHeaders> {
  const isSource = readLead(yield leadBytes)
  const signature = yield* headerSteps()
  const padding = -signature.bytes.length & 7
  yield padding
  const main = yield* headerSteps()
  const start = leadBytes + signature.bytes.length + padding
  return { isSource, signature, main, range: { start, end: start + main.bytes.length } }
}

function readLead(lead: Buffer): boolean {
  if (lead.readUInt32BE(0) !== leadMagic) throw unreadable('it is no rpm')
  const major = lead.readUInt8(4)
  if (major < 3 || major > 4) throw unreadable(`it is an rpm of version ${major}`)
  if (lead.readUInt16BE(78) !== headerStyleSignature) throw unreadable('it has no signature header')
  return lead.readUInt16BE(6) === sourceType
}

function* headerSteps(): Steps<RpmHeader> {
  const intro = yield introBytes
  const body = yield bytesAfterIntro(intro)
  return new RpmHeader(Buffer.concat([intro, body]))
}
