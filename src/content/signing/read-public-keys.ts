import { type Key, readKeys } from 'openpgp'
import { armoredBlocks } from './read-armor.ts'

/**
 * The OpenPGP keys in a text or a file: any number of armored blocks with several keys each, or the binary form. What cannot be
 * read is left out.
 */
export async function readPublicKeys(source: string | Uint8Array): Promise<Key[]> {
  const blocks = armoredBlocks(source, 'PUBLIC KEY BLOCK')
  if (blocks === undefined) return readable(readKeys({ binaryKeys: new Uint8Array(source as Uint8Array) }))
  const keys = await Promise.all(blocks.map((block) => readable(readKeys({ armoredKeys: block }))))
  return keys.flat()
}

function readable(reading: Promise<Key[]>): Promise<Key[]> {
  return reading.catch(() => [])
}
