/** What is stored of a package in columns, to be searched and listed. */
export interface PackageFields {
  readonly name: string
  readonly epoch: number
  readonly version: string
  readonly release: string
  /** `src` and `nosrc` are those of source packages. */
  readonly arch: string
  readonly summary: string
  /** The file name of the source package that it was built from; empty for none. */
  readonly sourceRpm: string
  readonly sizeBytes: number
  /** Seconds since 1970. */
  readonly buildTime: number
}
