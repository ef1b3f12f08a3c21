import type { Kysely } from 'kysely'
import type { Upstream } from '../platform/fetch/fetch-options.ts'
import type { Fetcher } from '../platform/fetch/fetcher.ts'

/** The bytes of a unit as the upstream describes them. */
export interface DiscoveredFile {
  /** Where a repository serves it, below its base path. */
  readonly path: string
  readonly sha256: string
  readonly sizeBytes: number
  readonly url: URL
}

/** One thing that an upstream holds, not yet stored. */
export interface DiscoveredUnit {
  readonly kind: string
  /** What makes it the same unit wherever it is met. */
  readonly naturalKey: string
  /** What it is called in messages and task outputs. */
  readonly name: string
  readonly files: readonly DiscoveredFile[]
}

export interface DiscoverContext {
  /** The repository's address, and who may be told what on the way there. */
  readonly upstream: Upstream
  readonly fetcher: Fetcher
  /** What `discover` gave as its state when the repository was last synced from this URL with success. */
  readonly previous: unknown
  readonly signal: AbortSignal
}

export type Discovery =
  | { readonly outcome: 'unchanged' }
  | {
      readonly outcome: 'changed'
      /** Plain data that lets the next discovery ask whether anything changed. */
      readonly state: Record<string, unknown>
      /** In batches of bounded size. Throws AppError `upstream` that names the item when the listing is broken or hostile. */
      readonly units: AsyncIterable<readonly DiscoveredUnit[]>
    }

/** A unit with the id it has in the database. */
export interface StoredUnit<Unit extends DiscoveredUnit = DiscoveredUnit> {
  readonly id: number
  readonly unit: Unit
}

export interface PublishContext {
  readonly db: Kysely<unknown>
  /** The set version that is published. */
  readonly setId: number
  readonly version: number
  readonly signal: AbortSignal
}

/** A metadata file for clients, written while it is read. */
export interface MetadataFile {
  readonly path: string
  readonly content: AsyncIterable<Uint8Array>
}

/**
 * Everything that the program knows of one kind of repository. A type's folder exports one such value; nothing outside
 * names a type but the list in `types/index.ts`.
 */
export interface ContentType {
  readonly name: string
  /** Folder of the type's own migrations. */
  readonly migrations: string
  /** The kinds of units, with the word that counts them in a repository's `content_counts`. */
  readonly unitKinds: readonly { readonly kind: string; readonly countKey: string }[]
  /** Asks what the upstream holds now; an unchanged one costs one request. */
  discover(context: DiscoverContext): Promise<Discovery>
  /** Adds the type's own rows for units that are new to the database. */
  saveUnits(db: Kysely<unknown>, units: readonly StoredUnit[]): Promise<void>
  /** Gives the metadata that clients of this type read, the file that they read first as the last one. */
  publish(context: PublishContext): AsyncIterable<MetadataFile>
}
