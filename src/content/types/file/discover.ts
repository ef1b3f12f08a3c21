import { createHash } from 'node:crypto'
import type { FetchedBody } from '../../../platform/fetch/fetch-options.ts'
import type { DiscoverContext, DiscoveredUnit, Discovery } from '../../content-type.ts'
import { fileKey } from './file-key.ts'
import { type ManifestEntry, manifestName, parseManifest } from './manifest.ts'

interface ManifestState {
  readonly etag: string | null
  readonly lastModified: string | null
  readonly sha256: string
}

const batchSize = 2000

/**
 * Finds the files of an upstream by its PULP_MANIFEST. The upstream is asked for it once, and only for a changed one; where
 * it cannot tell, the manifest's own bytes do.
 */
export async function discoverFiles({ upstream, fetcher, previous, signal }: DiscoverContext): Promise<Discovery> {
  const known = previous as ManifestState | undefined
  const base = folderOf(new URL(upstream.url))
  const options = { upstream, signal, conditions: conditionsOf(known) }
  // read whole before anything is fetched: a connection that is held open meanwhile would be cut by the upstream
  const manifest = await fetcher.read(below(base, manifestName), options, readManifest)
  if (manifest === 'not modified' || manifest.state.sha256 === known?.sha256) return { outcome: 'unchanged' }
  return { outcome: 'changed', state: { ...manifest.state }, units: inBatches(manifest.entries, base) }
}

interface Manifest {
  readonly state: ManifestState
  readonly entries: readonly ManifestEntry[]
}

async function readManifest({ status, headers, body }: FetchedBody): Promise<Manifest | 'not modified'> {
  if (status === 304) return 'not modified'
  const hash = createHash('sha256')
  const entries = await Array.fromAsync(parseManifest(hashed(body, hash)))
  const state = { etag: headers.get('etag'), lastModified: headers.get('last-modified'), sha256: hash.digest('hex') }
  return { state, entries }
}

/** The folder that the manifest describes; a URL may name the manifest itself. */
function folderOf(url: URL): URL {
  const folder = new URL(url)
  folder.pathname = folder.pathname.endsWith(`/${manifestName}`)
    ? folder.pathname.slice(0, -manifestName.length)
    : folder.pathname.replace(/\/*$/, '/')
  return folder
}

function conditionsOf(known: ManifestState | undefined): { etag?: string; lastModified?: string } {
  if (known === undefined) return {}
  return {
    ...(known.etag === null ? {} : { etag: known.etag }),
    ...(known.lastModified === null ? {} : { lastModified: known.lastModified }),
  }
}

async function* hashed(body: AsyncIterable<Uint8Array>, hash: { update(bytes: Uint8Array): unknown }) {
  for await (const chunk of body) {
    hash.update(chunk)
    yield chunk
  }
}

async function* inBatches(entries: readonly ManifestEntry[], base: URL): AsyncGenerator<readonly DiscoveredUnit[]> {
  for (let at = 0; at < entries.length; at += batchSize) {
    yield entries.slice(at, at + batchSize).map((entry) => toUnit(entry, base))
  }
}

function toUnit({ path, sha256, sizeBytes }: ManifestEntry, base: URL): DiscoveredUnit {
  const files = [{ path, sha256, sizeBytes, url: below(base, path) }]
  return { kind: 'file', naturalKey: fileKey({ path, sha256 }), name: path, files }
}

function below(base: URL, path: string): URL {
  const url = new URL(path.split('/').map(encodeURIComponent).join('/'), base)
  // a query of the base is a token, which such upstreams want with every file
  url.search = base.search
  return url
}
