import type { Kysely, RawBuilder } from 'kysely'
import type { TSchema } from 'typebox'
import type { OpenedBlob, ScratchFile } from '../platform/blobs/blob-store.ts'
import type { Digests } from '../platform/blobs/digests.ts'
import type { FieldMessages } from '../platform/errors.ts'
import type { Upstream, Validators } from '../platform/fetch/fetch-options.ts'
import type { Fetcher } from '../platform/fetch/fetcher.ts'
import type { Searchable, SearchField } from '../platform/search/search-fields.ts'
import type { AttributeValues, HeldUnits, UnitFilterKind } from './unit-filter.ts'

/** The bytes of a unit. */
export interface UnitFile {
  /** Where a repository serves it, below its base path. */
  readonly path: string
  readonly sha256: string
  readonly sizeBytes: number
}

/** One thing that a repository can hold, not yet stored. */
export interface NewUnit {
  readonly kind: string
  /** What makes it the same unit wherever it is met. */
  readonly naturalKey: string
  /** What it is called in messages and task outputs. */
  readonly name: string
  readonly files: readonly UnitFile[]
}

/** The bytes of a unit as the upstream describes them. */
export interface DiscoveredFile extends UnitFile {
  readonly url: URL
}

/** One thing that an upstream holds, not yet stored. */
export interface DiscoveredUnit extends NewUnit {
  readonly files: readonly DiscoveredFile[]
  /** Its id when it is known to be in the database, as `findStored` told a moment ago: nothing of it is to be stored anew. */
  readonly storedId?: number | undefined
}

/** Bytes that somebody sent, whole and stored, with the name that they gave them: it may be anything. */
export interface UploadedFile {
  readonly name: string
  readonly sha256: string
  readonly sizeBytes: number
  open(): Promise<OpenedBlob>
}

/** Throws AppError `upstream` that names the subject and says what is wrong with its signature. */
export type CheckSignature = (subject: string, signed: SignedBytes) => Promise<void>

/** Bytes that are said to be signed, and the signature. */
export interface SignedBytes {
  readonly bytes: Uint8Array
  readonly signature: Uint8Array
}

export interface UploadContext {
  /** What is wrong with a signature that the repository's GPG key, when it has one, is said to have made, and has not. */
  readonly findForgery?: ((signed: SignedBytes) => Promise<string | undefined>) | undefined
}

export interface DiscoverContext {
  /** The repository's address, and who may be told what on the way there. */
  readonly upstream: Upstream
  readonly fetcher: Fetcher
  readonly attributes: RepositoryAttributes
  /** What the repository's GPG key says of signatures; undefined when it has none. */
  readonly checkSignature?: CheckSignature | undefined
  /** What `discover` gave as its state when the repository was last synced from this URL with success. */
  readonly previous: unknown
  readonly signal: AbortSignal
  /** Bytes are to be fetched when somebody asks for them. */
  readonly isOnDemand: boolean
  /** So many things may be asked for at once. */
  readonly concurrency: number
  /**
   * Brings files into the server of which the upstream tells too little for a unit, and gives what was learnt, in their
   * order. They are checked against what is known; bytes that are stored already are not fetched.
   *
   * @throws AppError `upstream` that names every file that could not be had
   */
  fetch(files: readonly UnknownFile[]): Promise<readonly (LearntFile | 'not modified')[]>
  /** How long the bytes with these digests are, as far as they are stored. */
  findSizes(digests: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** The ids of those of these units that are in the database, by their natural keys. */
  findStored(units: readonly Pick<NewUnit, 'kind' | 'naturalKey'>[]): Promise<ReadonlyMap<string, number>>
  /** Opens bytes that are stored. */
  open(sha256: string): Promise<OpenedBlob>
  /** The ids of all units of these kinds that the repository holds now, by their natural keys. */
  listHeld(kinds: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** A file for what is too large for the memory. */
  scratch(): Promise<ScratchFile>
}

/** The bytes of a unit as far as the upstream describes them. */
export interface UnknownFile extends Partial<UnitFile> {
  readonly url: URL
  readonly path: string
  /** Further digests that the bytes must have. */
  readonly digests?: Digests | undefined
  /** More is refused, whatever the upstream says. */
  readonly maxBytes?: number | undefined
  /** What the last fetch learnt about the version that the type still knows all about. */
  readonly conditions?: Validators | undefined
}

/** What is known of a file when its bytes are there. */
export interface LearntFile {
  readonly sha256: string
  readonly sizeBytes: number
  /** For the conditions of the next fetch. */
  readonly validators: Validators
}

export type Discovery =
  | { readonly outcome: 'unchanged' }
  | {
      readonly outcome: 'changed'
      /**
       * Plain data that lets the next discovery ask whether anything changed. It is kept when all units were read, and may
       * grow until then.
       */
      readonly state: Record<string, unknown>
      /** In batches of bounded size. Throws AppError `upstream` that names the item when the listing is broken or hostile. */
      readonly units: AsyncIterable<readonly DiscoveredUnit[]>
    }

/** A unit with the id it has in the database. */
export interface StoredUnit<Unit extends NewUnit = NewUnit> {
  readonly id: number
  readonly unit: Unit
}

/** Signs what a repository publishes. */
export interface PublicationSigner {
  /** The signature of these bytes, armored, in a file of its own. */
  signDetached(bytes: Uint8Array): Promise<string>
  /** What clients check signatures with, armored. */
  publicKey(): Promise<string>
}

/** The units are those that are published. */
export interface PublishContext extends HeldUnits {
  readonly db: Kysely<unknown>
  /** When that version was made: the same for everybody who publishes it. */
  readonly createdAt: Date
  readonly attributes: RepositoryAttributes
  readonly signer: PublicationSigner
  readonly signal: AbortSignal
}

/** A metadata file for clients, written while it is read. */
export interface MetadataFile {
  /** What it is called, perhaps after what is in it. */
  readonly path: string | ((sha256: string) => string)
  readonly content: AsyncIterable<Uint8Array>
}

/** A metadata file that was written. */
export interface WrittenFile {
  readonly path: string
  readonly sha256: string
  readonly sizeBytes: number
}

/** How the units of a kind are listed and shown by themselves. */
export interface UnitList {
  /** The last part of its addresses, such as `files`. */
  readonly path: string
  /** Has a row for each unit, with its id as `unit_id`. */
  readonly table: string
  /** What can be searched besides `id` and `repository`; expressions call the table `unit`. */
  readonly fields: readonly SearchField[]
  readonly order: Searchable['order']
  /** What a unit is known by outside of this program; may be given where a unit's id is asked for. */
  readonly ownId?: RawBuilder<unknown>
  /** The record of a row of the table, without ids. */
  present(row: Readonly<Record<string, unknown>>): object
  /** What the record of a single unit has besides. */
  describe?(db: Kysely<unknown>, row: Readonly<Record<string, unknown>>): Promise<object>
}

/** What the units of one kind are called by whoever asks about them. */
export interface UnitKind {
  readonly kind: string
  /** The word of `with_content`, and of `content_type` where units are removed or uploaded. */
  readonly label: string
  /** Counts them in a repository's `content_counts`; kinds without one are not counted. */
  readonly countKey?: string
  /** The parameter of lists that asks for repositories with one such unit. */
  readonly idFilter?: string
  readonly isRemovable: boolean
  /** A repository has one at most: the next one takes its place. */
  readonly isSingle?: boolean
  readonly list?: UnitList
}

/** What is known of a repository by a unit that it holds: it is shown when there is such a unit, and can be searched. */
export interface RepositoryFact {
  readonly name: string
  /** Of the unit; it must have a list. */
  readonly kind: string
  readonly type: 'string' | 'boolean'
  /** The table of the kind's list is called unit. */
  readonly expression: RawBuilder<unknown>
}

/** Something that only repositories of one type have. */
export interface TypeAttribute {
  /** What a value is that is not null. */
  readonly schema: TSchema
  /** What it is when nothing was said, or null. */
  readonly default: unknown
  /** Sealed at rest; answers only say that it exists. */
  readonly isSecret?: boolean
}

/** What a repository is set to that its type may want to know: the type's own attributes and some of the common ones. */
export interface RepositoryAttributes extends AttributeValues {
  readonly checksum_type: string | null
}

/** What the sync of a type can be told besides where from. */
export type SyncOption = 'skip_metadata_check' | 'validate_contents'

/** What a type must be able to do before anybody can make repositories of it. */
export interface ContentWork {
  /** Asks what the upstream holds now; an unchanged one costs one request. */
  discover(context: DiscoverContext): Promise<Discovery>
  /**
   * Gives the unit that a sent file is.
   *
   * @throws AppError `invalid` that names the file when it is none that such a repository can hold
   */
  parseUpload(file: UploadedFile, context: UploadContext): Promise<NewUnit>
  /** Adds the type's own rows for units that are new to the database, when it has any. */
  saveUnits?(db: Kysely<unknown>, units: readonly StoredUnit[]): Promise<void>
  /**
   * Gives the metadata that clients of this type read, the file that they read first as the last one. Each one is answered
   * with what was written, before the next one is asked for.
   */
  publish(context: PublishContext): AsyncGenerator<MetadataFile, void, WrittenFile>
}

/**
 * Everything that the program knows of one kind of repository. A type's folder exports one such value; nothing outside
 * names a type but the list in `types/index.ts`.
 */
export interface ContentType {
  readonly name: string
  /** Folder of the type's own migrations. */
  readonly migrations?: string
  readonly unitKinds: readonly UnitKind[]
  /** Further names under which `content_counts` shows a kind: name → kind. */
  readonly countAliases?: Readonly<Record<string, string>>
  readonly facts?: readonly RepositoryFact[]
  /** The label of the units that are meant when a request does not say which. */
  readonly defaultUnit?: string
  readonly attributes: Readonly<Record<string, TypeAttribute>>
  /** What `download_policy` is when nothing was said. */
  readonly downloadPolicy?: 'immediate'
  readonly syncOptions: readonly SyncOption[]
  readonly filters?: readonly UnitFilterKind[]
  /**
   * The condition that a unit is about others of which there is none among these; the table is called u. Where filters have
   * chosen what is published, such units are left out.
   */
  isIdle?(units: HeldUnits): RawBuilder<boolean>
  /** What is wrong with these attributes together, the common ones among them. */
  check?(values: AttributeValues): FieldMessages
  /** Values that follow from attributes, for answers. */
  derive?(values: AttributeValues): AttributeValues
  readonly work?: ContentWork
}
