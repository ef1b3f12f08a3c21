export type CompressionKind = 'bzip2' | 'gzip' | 'lzma' | 'xz' | 'zstd' | 'none'

export const longestMagic = 6

/** For each kind how its bytes begin. */
const magics: readonly (readonly [CompressionKind, RegExp])[] = [
  ['gzip', /^1f8b/],
  ['zstd', /^(?:28b52ffd|5[0-9a-f]2a4d18)/],
  ['xz', /^fd377a585a00/],
  ['bzip2', /^425a683[1-9]/],
  // it has no magic: this is how every usual writer begins
  ['lzma', /^5d0000/],
]

/** Tells by the first bytes how all of them are compressed. */
export function compressionOf(first: Uint8Array): CompressionKind {
  const hex = Buffer.from(first).toString('hex')
  return magics.find(([, magic]) => magic.test(hex))?.[0] ?? 'none'
}
