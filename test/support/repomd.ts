import { createHash } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync, gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib'

/** Another form of a metadata file with the same content. */
export interface Packed {
  readonly bytes: Buffer
  /** Such as `.zst`. */
  readonly suffix: string
}

/** The types of the records of a repository's `repomd.xml`, in their order. */
async function recordTypes(repository: string): Promise<string[]> {
  const text = await readFile(join(repository, 'repodata/repomd.xml'), 'utf8')
  return [...text.matchAll(/<data type="([^"]+)"/g)].map(([, type = '']) => type)
}

/** Packs a metadata file (plain, gzip or zstd) anew and says so in `repomd.xml`, which is then to be signed again. */
export async function repackRecord(repository: string, type: string, pack: (plain: Buffer) => Packed): Promise<void> {
  const path = join(repository, 'repodata/repomd.xml')
  const text = await readFile(path, 'utf8')
  const record = new RegExp(`  <data type="${type}">[^]*?</data>\n`).exec(text)?.[0] ?? ''
  const href = /<location href="([^"]+)"/.exec(record)?.[1] ?? ''
  const plain = await unpack(join(repository, href))
  const { bytes, suffix } = pack(plain)
  const name = href.replace(/^repodata\/[0-9a-f]*-?/, '').replace(/\.(gz|bz2|xz|zst)$/, '')
  const newHref = `repodata/${sha256(bytes)}-${name}${suffix}`
  await rm(join(repository, href))
  await writeFile(join(repository, newHref), bytes)
  await writeFile(path, text.replace(record, recordText(type, { href: newHref, bytes, plain })))
}

/** Takes a record with its file out of a repository, if it is there. */
async function removeRecord(repository: string, type: string): Promise<void> {
  const path = join(repository, 'repodata/repomd.xml')
  const text = await readFile(path, 'utf8')
  const record = new RegExp(`  <data type="${type}">[^]*?</data>\n`).exec(text)?.[0]
  if (record === undefined) return
  await rm(join(repository, /<location href="([^"]+)"/.exec(record)?.[1] ?? ''))
  await writeFile(path, text.replace(record, ''))
}

/** All in zstd, which the createrepo_c of Debian 12 cannot write. */
export async function repackWithZstd(repository: string): Promise<void> {
  await removeRecord(repository, 'group_gz')
  for (const type of await recordTypes(repository))
    await repackRecord(repository, type, (plain) => ({ bytes: zstdCompressSync(plain), suffix: '.zst' }))
}

function recordText(type: string, { href, bytes, plain }: { href: string; bytes: Buffer; plain: Buffer }): string {
  return `  <data type="${type}">
    <checksum type="sha256">${sha256(bytes)}</checksum>
    <open-checksum type="sha256">${sha256(plain)}</open-checksum>
    <location href="${href}"/>
    <timestamp>1700000000</timestamp>
    <size>${bytes.length}</size>
    <open-size>${plain.length}</open-size>
  </data>
`
}

async function unpack(path: string): Promise<Buffer> {
  const bytes = await readFile(path)
  if (path.endsWith('.gz')) return gunzipSync(bytes)
  return path.endsWith('.zst') ? zstdDecompressSync(bytes) : bytes
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/**
 * Compresses a list in several pieces that are put one after the other: what stands before the first element, so many elements
 * each, and what stands after the last.
 */
export function packInPieces(
  list: Buffer,
  { element, perPiece, format }: { element: string; perPiece: number; format: 'gzip' | 'zstd' },
): Packed & { readonly pieces: number } {
  const [head = '', ...rest] = list.toString('utf8').split(`<${element} `)
  const tail = rest.pop() ?? ''
  const end = tail.lastIndexOf(`</${element}>`) + `</${element}>`.length
  const elements = [...rest, tail.slice(0, end)].map((text) => `<${element} ${text}`)
  const texts = [head]
  while (elements.length > 0) texts.push(elements.splice(0, perPiece).join(''))
  texts.push(tail.slice(end))
  const compress = format === 'gzip' ? gzipSync : zstdCompressSync
  const bytes = Buffer.concat(texts.map((text) => compress(Buffer.from(text))))
  return { bytes, suffix: format === 'gzip' ? '.gz' : '.zst', pieces: texts.length }
}
