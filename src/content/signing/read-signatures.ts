import { enums, readSignature, SignaturePacket } from 'openpgp'
import { armoredBlocks } from './read-armor.ts'

/** More signatures than this are not looked at. */
export const maxSignatures = 16

/** The signatures of documents in a text or a file, armored or binary. What cannot be read is left out. */
export async function readSignatures(source: string | Uint8Array): Promise<SignaturePacket[]> {
  const blocks = armoredBlocks(source, 'SIGNATURE')
  const read =
    blocks === undefined
      ? [readSignature({ binarySignature: new Uint8Array(source as Uint8Array) })]
      : blocks.slice(0, maxSignatures).map((block) => readSignature({ armoredSignature: block }))
  const found = await Promise.all(read.map((reading) => reading.then(({ packets }) => [...packets]).catch(() => [])))
  return found.flat().filter((packet) => packet instanceof SignaturePacket && isOfDocument(packet))
}

/** Other kinds are about keys. */
function isOfDocument({ signatureType }: SignaturePacket): boolean {
  return signatureType === enums.signature.binary || signatureType === enums.signature.text
}
