/** What stands between begin and end of one kind of OpenPGP armor. */
export type ArmorKind = 'PUBLIC KEY BLOCK' | 'SIGNATURE'

/**
 * The armored blocks of a kind in a text, with whatever between them; undefined when this is no armor but may be the binary form
 * of the same.
 */
export function armoredBlocks(source: string | Uint8Array, kind: ArmorKind): string[] | undefined {
  const text = typeof source === 'string' ? source : Buffer.from(source).toString('latin1')
  const begin = `-----BEGIN PGP ${kind}-----`
  const end = `-----END PGP ${kind}-----`
  const [before, ...pieces] = text.split(begin)
  // the first bit of every binary packet is set
  const isBinary = typeof source !== 'string' && ((source[0] ?? 0) & 0x80) !== 0
  if (isBinary || before === undefined) return undefined
  return pieces.flatMap((piece) => {
    const length = piece.indexOf(end)
    return length < 0 ? [] : [`${begin}${piece.slice(0, length)}${end}\n`]
  })
}
