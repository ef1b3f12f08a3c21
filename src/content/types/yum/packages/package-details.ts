/** What is known of a package beyond its fields. */
export interface PackageDetails {
  readonly description: string
  readonly license: string
  readonly vendor: string
  readonly group: string
  readonly buildHost: string
  readonly packager: string
  readonly url: string
  /** `name:stream:version:context` of the module that the package was built for; empty for none. */
  readonly modularityLabel: string
  /** Where the main header lies in the file: from the first byte up to, not including, the last. */
  readonly headerRange: { readonly start: number; readonly end: number }
  readonly installedBytes: number
  readonly archiveBytes: number
  /** When the file came to be, in seconds since 1970. */
  readonly fileTime: number
  readonly dependencies: Readonly<Record<DependencyKind, readonly Dependency[]>>
  readonly files: readonly PackageFile[]
  /** The newest ones, oldest first. */
  readonly changelogs: readonly Changelog[]
}

/** In the order in which lists of packages give them. */
export const dependencyKinds = [
  'provides',
  'requires',
  'conflicts',
  'obsoletes',
  'suggests',
  'enhances',
  'recommends',
  'supplements',
] as const

export type DependencyKind = (typeof dependencyKinds)[number]

export interface Dependency {
  readonly name: string
  /** How the version is compared; empty where any version will do, and then the version says nothing. */
  readonly comparison: '' | 'LT' | 'GT' | 'EQ' | 'LE' | 'GE'
  /** Digits; empty together with the version. */
  readonly epoch: string
  readonly version: string
  readonly release: string
  /** Whether it must be there before the package is installed. */
  readonly isPre: boolean
}

export interface PackageFile {
  readonly path: string
  readonly type: 'file' | 'dir' | 'ghost'
}

export interface Changelog {
  /** Usually with the version at its end: `A Name <a@example.org> - 1.2-3`. */
  readonly author: string
  /** In seconds since 1970. */
  readonly time: number
  readonly text: string
}
