import type { PackageFields } from './package-fields.ts'
import { emptyElement, writeAttributes } from './write-element.ts'

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

/** The package's element in the primary list; `href` is relative to the repository. */
export function renderPrimary(
  { beforeChecksum, beforeLocation, afterLocation }: PackageFragments['primary'],
  { sha256, href }: { readonly sha256: string; readonly href: string },
): string {
  const checksum = `<checksum type="sha256" pkgid="YES">${sha256}</checksum>`
  const location = emptyElement('location', { href })
  return `<package type="rpm">${beforeChecksum}${checksum}${beforeLocation}${location}${afterLocation}</package>\n`
}

/** The package's element in the list of files. */
export function renderFilelists(fields: PackageFields, inner: string, identity: { readonly sha256: string }): string {
  return renderListed(fields, inner, identity)
}

/** The package's element in the list of changelogs. */
export function renderOther(fields: PackageFields, inner: string, identity: { readonly sha256: string }): string {
  return renderListed(fields, inner, identity)
}

function renderListed({ name, arch }: PackageFields, inner: string, { sha256 }: { readonly sha256: string }): string {
  return `<package${writeAttributes({ pkgid: sha256, name, arch })}>${inner}</package>\n`
}
