import type { PackageDetails } from './package-details.ts'
import type { PackageFields } from './package-fields.ts'
import { textElement, versionElement } from './write-element.ts'

/** What is inside of a package's element in the list of changelogs. */
export function writeOther(fields: PackageFields, { changelogs }: PackageDetails): string {
  let written = `\n  ${versionElement(fields)}`
  for (const { author, time, text } of changelogs) {
    written += `\n  ${textElement('changelog', text, { author, date: time })}`
  }
  return `${written}\n`
}
