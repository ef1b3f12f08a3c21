/** What a version of a content view holds of one repository: a version of a content set, by reference. */
export interface VersionPart {
  /** The repository in Library that it comes from. */
  readonly libraryId: number
  readonly rootId: number
  readonly setId: number
  readonly setVersion: number
  /** The metadata that clients are served; null for a repository that was never published. */
  readonly publicationId: number | null
}
