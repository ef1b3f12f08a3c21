import type { PackageFields } from './package-fields.ts'

export type PackageVersion = Pick<PackageFields, 'name' | 'epoch' | 'version' | 'release' | 'arch'>

export interface RetentionOptions {
  /** So many versions of each name and architecture stay, at least one. */
  readonly count: number
  /** Below 0 when the first is older, above 0 when it is newer. */
  readonly compare: (first: PackageVersion, second: PackageVersion) => number
  /** Packages that stay however old they are, and are not counted: those that a module's stream names. */
  readonly isProtected: (candidate: PackageVersion) => boolean
}

interface Kept<Id> {
  readonly version: PackageVersion
  /** All packages of that version. */
  readonly ids: Id[]
}

/** What is left when only the newest versions of packages stay. It remembers nothing of those that go. */
export class NewestPackages<Id> {
  readonly #options: RetentionOptions
  readonly #protected: Id[] = []
  /** The newest version first. */
  readonly #kept = new Map<string, Kept<Id>[]>()

  constructor(options: RetentionOptions) {
    this.#options = options
  }

  add(candidate: PackageVersion, id: Id): void {
    if (this.#options.isProtected(candidate)) {
      this.#protected.push(id)
      return
    }
    const key = `${candidate.name}.${candidate.arch}`
    const versions = this.#kept.get(key)
    if (versions === undefined) this.#kept.set(key, [{ version: candidate, ids: [id] }])
    else this.#insert(versions, candidate, id)
  }

  *ids(): Generator<Id> {
    yield* this.#protected
    for (const versions of this.#kept.values()) for (const { ids } of versions) yield* ids
  }

  #insert(versions: Kept<Id>[], version: PackageVersion, id: Id): void {
    const { compare, count } = this.#options
    const place = versions.findIndex((other) => compare(version, other.version) >= 0)
    const same = versions[place]
    if (same !== undefined && compare(version, same.version) === 0) same.ids.push(id)
    else versions.splice(place === -1 ? versions.length : place, 0, { version, ids: [id] })
    if (versions.length > Math.max(1, count)) versions.pop()
  }
}

/** A package as modules name it among their artifacts. */
export function nevraOf({ name, epoch, version, release, arch }: PackageVersion): string {
  return `${name}-${epoch}:${version}-${release}.${arch}`
}
