import type { PackageFile } from './package-details.ts'
import type { PackageFields } from './package-fields.ts'

type Attributes = Readonly<Record<string, string | number>>

const special = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\t': '&#9;', '\n': '&#10;', '\r': '&#13;' }

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
  return /[&<>\r]/.test(clean) ? clean.replace(/[&<>\r]/g, escapeCharacter) : clean
}

/** In attributes it takes all three for blanks. */
function escapeAttribute(text: string): string {
  const clean = withoutControls(text)
  return /[&<>"\t\n\r]/.test(clean) ? clean.replace(/[&<>"\t\n\r]/g, escapeCharacter) : clean
}

function escapeCharacter(character: string): string {
  return special[character as keyof typeof special]
}
