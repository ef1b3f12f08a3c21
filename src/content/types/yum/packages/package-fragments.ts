/** The XML of a package in the three lists, without what differs between repositories: its checksum and its location. */
export interface PackageFragments {
  readonly primary: {
    readonly beforeChecksum: string
    readonly beforeLocation: string
    readonly afterLocation: string
  }
  /** Everything between the start tag and the end tag of the package. */
  readonly filelists: string
  readonly other: string
}
