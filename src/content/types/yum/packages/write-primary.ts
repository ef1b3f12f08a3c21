import { type Dependency, dependencyKinds, type PackageDetails } from './package-details.ts'
import type { PackageFields } from './package-fields.ts'
import type { PackageFragments } from './package-fragments.ts'
import { emptyElement, fileElement, textElement, versionElement } from './write-element.ts'

/** A package's part of the primary list, in the order of elements that createrepo_c keeps to. */
export function writePrimary(fields: PackageFields, details: PackageDetails): PackageFragments['primary'] {
  return {
    beforeChecksum: lines(textElement('name', fields.name), textElement('arch', fields.arch), versionElement(fields)),
    beforeLocation: lines(
      textElement('summary', fields.summary),
      textElement('description', details.description),
      textElement('packager', details.packager),
      textElement('url', details.url),
      emptyElement('time', { file: details.fileTime, build: fields.buildTime }),
      emptyElement('size', {
        package: fields.sizeBytes,
        installed: details.installedBytes,
        archive: details.archiveBytes,
      }),
    ),
    afterLocation: `\n  <format>${writeFormat(fields, details)}\n  </format>\n`,
  }
}

function lines(...elements: readonly string[]): string {
  return `\n  ${elements.join('\n  ')}\n  `
}

function writeFormat(fields: PackageFields, details: PackageDetails): string {
  const parts = [
    textElement('rpm:license', details.license),
    textElement('rpm:vendor', details.vendor),
    textElement('rpm:group', details.group),
    textElement('rpm:buildhost', details.buildHost),
    textElement('rpm:sourcerpm', fields.sourceRpm),
    emptyElement('rpm:header-range', details.headerRange),
  ]
  for (const kind of dependencyKinds) {
    const entries = details.dependencies[kind]
    if (entries.length > 0) parts.push(`<rpm:${kind}>${entries.map(writeEntry).join('')}\n    </rpm:${kind}>`)
  }
  for (const file of details.files) if (isPrimaryFile(file.path)) parts.push(fileElement(file))
  return `\n    ${parts.join('\n    ')}`
}

function writeEntry({ name, comparison, epoch, version, release, isPre }: Dependency): string {
  const attributes: Record<string, string> = { name }
  if (comparison !== '') {
    attributes['flags'] = comparison
    for (const [key, value] of [
      ['epoch', epoch],
      ['ver', version],
      ['rel', release],
    ] as const) {
      if (value !== '') attributes[key] = value
    }
  }
  if (isPre) attributes['pre'] = '1'
  return `\n      ${emptyElement('rpm:entry', attributes)}`
}

/** Whether the primary list names the file too, since dependencies on files are mostly on those. */
export function isPrimaryFile(path: string): boolean {
  return path.startsWith('/etc/') || path.includes('bin/') || path === '/usr/lib/sendmail'
}
