import type { PackageFile } from './package-details.ts'
import type { PackageFields } from './package-fields.ts'

type Attributes = Readonly<Record<string, string | number>>

/** What XML cannot hold, and control characters that it could. */
const unwanted = /[^\P{Cc}\t\n\r]|[\ufffe\uffff]/u
const allUnwanted = new RegExp(unwanted, 'gu')

/** The text without control characters other than tab, line feed and carriage return. */
export function withoutControls(text: string): string {
  return unwanted.test(text) ? text.replace(allUnwanted, '') : text
}

/** An element that holds text and nothing else. */
export function textElement(name: string, text: string, attributes: Attributes = {}): string {
  return `<${name}${writeAttributes(attributes)}>${escapeText(text)}</${name}>`
}

/** An element without content; attributes are written in the order in which they are given. */
export function emptyElement(name: string, attributes: Attributes): string {
  return `<${name}${writeAttributes(attributes)}/>`
}

export function writeAttributes(attributes: Attributes): string {
  let written = ''
  for (const name in attributes) written += ` ${name}="${escapeAttribute(String(attributes[name]))}"`
  return written
}

/** The version of a package as all three lists give it. */
export function versionElement({ epoch, version, release }: PackageFields): string {
  return emptyElement('version', { epoch, ver: version, rel: release })
}

/** A file as two of the lists give it. */
export function fileElement({ path, type }: PackageFile): string {
  return textElement('file', path, type === 'file' ? {} : { type })
}

/** A reader of XML takes a bare carriage return for a line feed. */
function escapeText(text: string): string {
  const clean = withoutControls(text)
  if (!/[&<>\r]/.test(clean)) return clean
  const marked = clean.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return marked.replaceAll('\r', '&#13;')
}

/** In attributes it takes tabs and line feeds for blanks. */
function escapeAttribute(text: string): string {
  const escaped = escapeText(text)
  if (!/["\t\n]/.test(escaped)) return escaped
  return escaped.replaceAll('"', '&quot;').replaceAll('\t', '&#9;').replaceAll('\n', '&#10;')
}
