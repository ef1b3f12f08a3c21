import type { PackageDetails } from '../packages/package-details.ts'
import type { PackageFields } from '../packages/package-fields.ts'
import type { PackageFragments } from '../packages/package-fragments.ts'
import { writeFilelists } from '../packages/write-filelists.ts'
import { writeOther } from '../packages/write-other.ts'
import { writePrimary } from '../packages/write-primary.ts'
import { listChangelogs } from './list-changelogs.ts'
import { listDependencies } from './list-dependencies.ts'
import { listFiles } from './list-files.ts'
import type { RpmHeaders } from './read-rpm-headers.ts'
import type { RpmHeader } from './rpm-header.ts'
import { mainTags, signatureTags } from './rpm-tags.ts'
import { unreadable } from './unreadable-rpm.ts'

/** No file name can be longer. */
const maxNameLength = 255

export interface DescribedRpm {
  readonly fields: PackageFields
  readonly details: PackageDetails
  readonly fragments: PackageFragments
}

/**
 * Says what a package is, as createrepo_c would.
 *
 * @param file what the headers do not say of the file: its size, and when it came to be in seconds since 1970
 * @throws AppError `invalid` when the headers contradict themselves, or lack what every package has
 */
export function describeRpm(
  headers: RpmHeaders,
  file: { readonly sizeBytes: number; readonly fileTime: number },
): DescribedRpm {
  const fields = readFields(headers, file.sizeBytes)
  const details = readDetails(headers, fields, file.fileTime)
  const primary = writePrimary(fields, details)
  const filelists = writeFilelists(fields, details)
  return { fields, details, fragments: { primary, filelists, other: writeOther(fields, details) } }
}

function readFields({ main, isSource }: RpmHeaders, sizeBytes: number): PackageFields {
  return {
    name: getNamePart(main, 'name'),
    epoch: main.findNumber(mainTags.epoch) ?? 0,
    version: getNamePart(main, 'version'),
    release: getNamePart(main, 'release'),
    arch: archOf(main, isSource),
    summary: main.findText(mainTags.summary) ?? '',
    sourceRpm: main.findText(mainTags.sourceRpm) ?? '',
    sizeBytes,
    buildTime: main.findNumber(mainTags.buildTime) ?? 0,
  }
}

/** What file names are made of, and taken apart at dashes and dots again. */
function getNamePart(main: RpmHeader, part: 'name' | 'version' | 'release' | 'arch'): string {
  const text = main.findText(mainTags[part])
  if (text === undefined || text === '') throw unreadable(`it has no ${part}`)
  if (text.length > maxNameLength) throw unreadable(`its ${part} is longer than ${maxNameLength} characters`)
  if (/[/\s]/.test(text)) throw unreadable(`its ${part} is ${JSON.stringify(text)}`)
  if (part !== 'name' && text.includes('-')) throw unreadable(`its ${part} is ${JSON.stringify(text)}, with a dash`)
  return text
}

/** Source packages name the architecture that they were made on. Old ones lack the tag, and all of them a source. */
function archOf(main: RpmHeader, isSourceByLead: boolean): string {
  const isSource = main.has(mainTags.sourcePackage) || (isSourceByLead && !main.has(mainTags.sourceRpm))
  if (!isSource) return getNamePart(main, 'arch')
  return main.has(mainTags.noSource) || main.has(mainTags.noPatch) ? 'nosrc' : 'src'
}

function readDetails({ signature, main, range }: RpmHeaders, fields: PackageFields, fileTime: number): PackageDetails {
  const text = (tag: number) => main.findText(tag) ?? ''
  const files = listFiles(main)
  return {
    description: text(mainTags.description),
    license: text(mainTags.license),
    vendor: text(mainTags.vendor),
    group: text(mainTags.group),
    buildHost: text(mainTags.buildHost),
    packager: text(mainTags.packager),
    url: text(mainTags.url),
    modularityLabel: text(mainTags.modularityLabel),
    headerRange: range,
    installedBytes: main.findNumber(mainTags.longSize) ?? main.findNumber(mainTags.size) ?? 0,
    archiveBytes: archiveBytesOf(signature, main),
    fileTime,
    dependencies: listDependencies(main, fields, files),
    files,
    changelogs: listChangelogs(main),
  }
}

function archiveBytesOf(signature: RpmHeader, main: RpmHeader): number {
  return (
    signature.findNumber(signatureTags.longArchiveSize) ??
    signature.findNumber(signatureTags.archiveSize) ??
    main.findNumber(mainTags.archiveSize) ??
    0
  )
}
