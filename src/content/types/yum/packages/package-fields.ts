/** What is stored of a package in columns, and searched. */
export interface PackageFields {
  readonly name: string
  readonly epoch: number
  readonly version: string
  readonly release: string
  /** `src` or `nosrc` for source packages. */
  readonly arch: string
  readonly summary: string
  /** Empty for none, as of source packages. */
  readonly sourceRpm: string
  readonly sizeBytes: number
  /** In seconds since 1970. */
  readonly buildTime: number
}
