import type { DiscoveredUnit, HeldUnit } from '../../../content-type.ts'
import { type Location, parseLocation } from '../metadata/field-checks.ts'
import { urlOf } from './find-repository.ts'

export interface KnownOptions {
  readonly base: URL
  /** The packages that the repository holds, by their sha256. */
  readonly held: ReadonlyMap<string, HeldUnit>
  readonly isWanted: (kind: string, checksum: string) => boolean
}

/**
 * The packages of a primary list that the repository holds already. Of these only the location is looked at: the bytes that it
 * leads to are known by their sha256, and what else is said of a package was read when it came.
 */
export class KnownPackages {
  readonly #options: KnownOptions
  readonly #seen = new Set<string>()
  #found: DiscoveredUnit[] = []
  #count = 0

  constructor(options: KnownOptions) {
    this.#options = options
  }

  /** How many packages it took, those that came twice included. */
  get count(): number {
    return this.#count
  }

  /** Takes a package by its element if it is known. False when it is not, or when there is anything unusual about it. */
  take(element: Buffer): boolean {
    const { held, isWanted, base } = this.#options
    const { sha256 = '', location } = glance(element)
    const unit = held.get(sha256)
    if (unit === undefined || location === undefined) return false
    this.#count += 1
    if (this.#seen.has(sha256)) return true
    this.#seen.add(sha256)
    const { id, kind, path, sizeBytes } = unit
    if (!isWanted(kind, sha256)) return true
    const files = [{ path, sha256, sizeBytes, url: urlOf(base, location) }]
    const name = path.slice(path.lastIndexOf('/') + 1)
    this.#found.push({ kind, naturalKey: sha256, name, files, storedId: id })
    return true
  }

  /** What was taken since this was asked last. */
  drain(): readonly DiscoveredUnit[] {
    const found = this.#found
    this.#found = []
    return found
  }
}

interface Glance {
  readonly sha256?: string | undefined
  readonly location?: Location
}

/** What can be told without reading XML properly, as createrepo_c and its like write it. */
function glance(element: Buffer): Glance {
  const text = element.toString('latin1')
  // comments and the like may hold anything
  if (text.includes('<!') || !text.startsWith('<package type="rpm">')) return {}
  const [, sha256] = /<checksum type="sha256" pkgid="YES">([0-9a-f]{64})<\/checksum>/.exec(text) ?? []
  const [, href] = /<location href="([\w.+~^/-]+)"\/>/.exec(text) ?? []
  if (href === undefined) return {}
  try {
    return { sha256, location: parseLocation(new Map([['href', href]]), (problem) => new Error(problem)) }
  } catch {
    return {}
  }
}
