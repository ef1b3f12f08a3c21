import type { PackageXml } from '../packs/pack.ts'
import type { PackageFields } from './package-fields.ts'
import type { PackageFragments } from './package-fragments.ts'

/** What the package lists of a repository say of a package besides its fragments. */
export interface RenderedPackage {
  readonly fields: PackageFields
  readonly sha256: string
  /** Where the repository serves it, below its base path. */
  readonly href: string
}

/** A package as the three lists of a repository show it. */
export function renderPackage(shown: RenderedPackage, { primary, filelists, other }: PackageFragments): PackageXml {
  return {
    primary: renderPrimary(shown, primary),
    filelists: renderListed(shown, filelists),
    other: renderListed(shown, other),
  }
}

function renderPrimary({ sha256, href }: RenderedPackage, pieces: PackageFragments['primary']): string {
  const { beforeChecksum, beforeLocation, afterLocation } = pieces
  const checksum = `<checksum type="sha256" pkgid="YES">${sha256}</checksum>`
  return `<package type="rpm">${beforeChecksum}${checksum}${beforeLocation}${location(href)}${afterLocation}</package>\n`
}

/** The element by which clients find a package's file. */
export function location(href: string): string {
  return `<location href="${escapeAttribute(href)}"/>`
}

function renderListed({ fields: { name, arch }, sha256 }: RenderedPackage, inner: string): string {
  return `<package pkgid="${sha256}" name="${escapeAttribute(name)}" arch="${escapeAttribute(arch)}">${inner}</package>\n`
}

function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
