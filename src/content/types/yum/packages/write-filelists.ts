import type { PackageDetails } from './package-details.ts'
import type { PackageFields } from './package-fields.ts'
import { fileElement, versionElement } from './write-element.ts'

/** What is inside of a package's element in the list of files. */
export function writeFilelists(fields: PackageFields, { files }: PackageDetails): string {
  let written = `\n  ${versionElement(fields)}`
  for (const file of files) written += `\n  ${fileElement(file)}`
  return `${written}\n`
}
