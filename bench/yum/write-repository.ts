import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { note } from '../report.ts'
import type { MadeMetadata } from './made-metadata.ts'

/** Writes the metadata of a repository, as a mirror has it. */
export async function writeRepository(folder: string, made: MadeMetadata): Promise<void> {
  const repodata = join(folder, 'repodata')
  await mkdir(repodata, { recursive: true })
  const records: string[] = []
  for (const type of ['primary', 'filelists', 'other'] as const)
    records.push(await writeList(repodata, type, made[type]()))
  const repomd = `<?xml version="1.0" encoding="UTF-8"?>\n<repomd xmlns="http://linux.duke.edu/metadata/repo"><revision>${made.packages}</revision>${records.join('')}</repomd>\n`
  await writeFile(join(repodata, 'new'), repomd)
  await rename(join(repodata, 'new'), join(repodata, 'repomd.xml'))
}

async function writeList(repodata: string, type: string, content: Generator<Buffer>): Promise<string> {
  const [open, packed] = [createHash('sha256'), createHash('sha256')]
  let openBytes = 0
  const counted = function* () {
    for (const piece of content) {
      open.update(piece)
      openBytes += piece.length
      yield piece
    }
  }
  const path = join(repodata, type)
  const hashed = async function* (source: AsyncIterable<Buffer>) {
    for await (const piece of source) {
      packed.update(piece)
      yield piece
    }
  }
  const opened = Readable.from(counted(), { objectMode: false })
  await pipeline(opened, createGzip({ level: 4 }), hashed, createWriteStream(path))
  const sha256 = packed.digest('hex')
  const name = `${sha256}-${type}.xml.gz`
  await rename(path, join(repodata, name))
  const { size } = await stat(join(repodata, name))
  note(`${type}: ${Math.round(openBytes / 1e6)} MB, ${Math.round(size / 1e6)} MB compressed`)
  return `<data type="${type}"><checksum type="sha256">${sha256}</checksum><open-checksum type="sha256">${open.digest('hex')}</open-checksum><location href="repodata/${name}"/><timestamp>1700000000</timestamp><size>${size}</size><open-size>${openBytes}</open-size></data>`
}
