import { decompress } from '../../src/platform/compression/decompress.ts'
import { fetchPublished } from './content.ts'
import type { Json } from './json.ts'
import type { ReachableServer } from './test-server.ts'
import { sha256 as digest } from './uploads.ts'

/**
 * All that clients are served of a repository of packages: path → digest. A status where the index is not there.
 *
 * @throws what a client would complain about: a file that repomd.xml names and that is not there, or has another checksum
 */
export async function servedPackages(server: ReachableServer, repository: Json): Promise<Map<string, string> | number> {
  const index = await fetchPublished(server, repository, 'repodata/repomd.xml')
  if (index.status !== 200) return index.status
  const repomd = await index.text()
  const found = new Map([['repodata/repomd.xml', digest(Buffer.from(repomd))]])
  const named = repomd.matchAll(/<checksum type="sha256">(\w+)<\/checksum>[\s\S]*?<location href="([^"]+)"/g)
  for (const [, sha256 = '', path = ''] of named) {
    const bytes = await checked(server, repository, { path, sha256 })
    found.set(path, sha256)
    if (!path.includes('-primary.xml')) continue
    for (const file of packagesOf(await openText(bytes))) {
      await checked(server, repository, file)
      found.set(file.path, file.sha256)
    }
  }
  return found
}

interface NamedFile {
  readonly path: string
  readonly sha256: string
}

function packagesOf(primary: string): NamedFile[] {
  const elements = primary.matchAll(/pkgid="YES">(\w+)<[\s\S]*?<location href="([^"]+)"/g)
  return [...elements].map(([, sha256 = '', path = '']) => ({ path, sha256 }))
}

async function checked(server: ReachableServer, repository: Json, { path, sha256 }: NamedFile): Promise<Buffer> {
  const answer = await fetchPublished(server, repository, path)
  const bytes = Buffer.from(await answer.arrayBuffer())
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${bytes}`)
  if (digest(bytes) !== sha256) throw new Error(`${path} has another checksum than it should`)
  return bytes
}

async function openText(bytes: Buffer): Promise<string> {
  const options = { name: 'what is published', maxBytes: 2 ** 30, signal: new AbortController().signal }
  return Buffer.concat(await Array.fromAsync(decompress(one(bytes), options))).toString()
}

async function* one(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}
