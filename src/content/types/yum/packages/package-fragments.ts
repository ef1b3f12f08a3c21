/** The XML of a package in the three lists, without what differs between repositories: checksum and location. */
export interface PackageFragments {
  /** What is inside of the package's element, around its checksum and its location. */
  readonly primary: {
    readonly beforeChecksum: string
    readonly beforeLocation: string
    readonly afterLocation: string
  }
  /** Everything between the start tag of the package and its end tag. */
  readonly filelists: string
  /** Everything between the start tag of the package and its end tag. */
  readonly other: string
}
