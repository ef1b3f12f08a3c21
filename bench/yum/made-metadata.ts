import type { PackageDetails } from '../../src/content/types/yum/packages/package-details.ts'
import type { PackageFields } from '../../src/content/types/yum/packages/package-fields.ts'
import { renderFilelists, renderOther, renderPrimary } from '../../src/content/types/yum/packages/package-fragments.ts'
import { fileNameOf } from '../../src/content/types/yum/packages/package-unit.ts'
import { writeFilelists } from '../../src/content/types/yum/packages/write-filelists.ts'
import { writeOther } from '../../src/content/types/yum/packages/write-other.ts'
import { writePrimary } from '../../src/content/types/yum/packages/write-primary.ts'

/** Metadata of a repository that does not exist, as large as a real one. */
export interface MadeMetadata {
  readonly packages: number
  primary(): Generator<Buffer>
  filelists(): Generator<Buffer>
  other(): Generator<Buffer>
}

/** A package that does not exist. */
export interface MadePackage {
  readonly sha256: string
  readonly fields: PackageFields
  details(): PackageDetails
}

const common = 'http://linux.duke.edu/metadata'

/** The lists of these packages, as createrepo_c writes them. */
export function makeMetadata(packages: readonly MadePackage[]): MadeMetadata {
  const list = (element: string, namespaces: string, render: (made: MadePackage) => string) => () =>
    write(packages, render, {
      start: `<${element} ${namespaces} packages="${packages.length}">`,
      end: `</${element}>`,
    })
  return {
    packages: packages.length,
    primary: list('metadata', `xmlns="${common}/common" xmlns:rpm="${common}/rpm"`, primaryOf),
    filelists: list('filelists', `xmlns="${common}/filelists"`, (made) =>
      renderFilelists(made.fields, writeFilelists(made.fields, made.details()), made),
    ),
    other: list('otherdata', `xmlns="${common}/other"`, (made) =>
      renderOther(made.fields, writeOther(made.fields, made.details()), made),
    ),
  }
}

function primaryOf({ sha256, fields, details }: MadePackage): string {
  const href = `Packages/${fields.name.charAt(0)}/${fileNameOf(fields)}`
  return renderPrimary(writePrimary(fields, details()), { sha256, href })
}

function* write(
  packages: readonly MadePackage[],
  render: (made: MadePackage) => string,
  { start, end }: { readonly start: string; readonly end: string },
): Generator<Buffer> {
  let text = `<?xml version="1.0" encoding="UTF-8"?>\n${start}\n`
  for (const made of packages) {
    text += render(made)
    if (text.length < 65536) continue
    yield Buffer.from(text)
    text = ''
  }
  yield Buffer.from(`${text}${end}\n`)
}

/** Packages with nothing special about them. */
export function inventPackages(count: number, files: number): MadePackage[] {
  return Array.from({ length: count }, (_, index) => inventPackage(index, files))
}

function inventPackage(index: number, files: number): MadePackage {
  const [name, version, release] = [`package-${index}`, `1.${index % 50}`, `${index % 7}.el9`]
  const sourceRpm = `${name}-${version}-${release}.src.rpm`
  const summary = `The package number ${index} & what it is good for`
  const times = { buildTime: 1_690_000_000, sizeBytes: index * 100 }
  return {
    sha256: idOf(index),
    fields: { name, epoch: 0, version, release, arch: 'x86_64', summary, sourceRpm, ...times },
    details: () => inventDetails(name, files),
  }
}

function inventDetails(name: string, files: number): PackageDetails {
  const texts = { license: 'MIT', vendor: 'Example', group: 'Unspecified', buildHost: 'build.example.com' }
  const own = { name, comparison: '', epoch: '', version: '', release: '', isPre: false } as const
  const none = { conflicts: [], obsoletes: [], suggests: [], enhances: [], recommends: [], supplements: [] }
  return {
    ...texts,
    description:
      'A longer text about it, which says in some words what it does,\nand for whom, and what else there is.',
    packager: 'Somebody <somebody@example.com>',
    url: `https://example.com/${name}`,
    modularityLabel: '',
    headerRange: { start: 4504, end: 8000 },
    installedBytes: 3000,
    archiveBytes: 3010,
    fileTime: 1_700_000_000,
    dependencies: { provides: [own], requires: [{ ...own, name: 'libc.so.6()(64bit)' }], ...none },
    files: Array.from({ length: files }, (_, at) => ({ path: `/usr/share/${name}/file-${at}.html`, type: 'file' })),
    changelogs: [{ author: 'Somebody <somebody@example.com> - 1.0-1', time: 1_600_000_000, text: '- Repaired' }],
  }
}

function idOf(index: number): string {
  return (index * 2654435761).toString(16).padStart(16, '0').slice(-16).repeat(4)
}

/** Advisories, each about ten packages. */
export function makeUpdateinfo(advisories: number): Buffer {
  const package_ = (index: number, at: number) =>
    `<package name="package-${index}-${at}" version="1.${at}" release="1.el9" epoch="0" arch="x86_64" src="p.src.rpm"><filename>package-${index}-${at}-1.${at}-1.el9.x86_64.rpm</filename><sum type="sha256">${idOf(index + at)}</sum></package>\n`
  const advisory = (index: number) =>
    `<update from="x@example.com" status="final" type="security" version="1"><id>EX-${index}</id><title>Number ${index}</title><issued date="2026-01-01"/><description>${'What it repairs. '.repeat(30)}</description><references><reference href="https://example.com/${index}" id="CVE-${index}" type="cve"/></references><pkglist><collection short="x"><name>x</name>${Array.from({ length: 10 }, (_, at) => package_(index, at)).join('')}</collection></pkglist></update>\n`
  return Buffer.from(`<updates>${Array.from({ length: advisories }, (_, index) => advisory(index)).join('')}</updates>`)
}

/** Streams of modules, each of forty packages. */
export function makeModules(streams: number): Buffer {
  const nevras = (index: number) =>
    Array.from({ length: 40 }, (_, at) => `    - package-${index}-${at}-0:1.${at}-1.el9.x86_64\n`).join('')
  const stream = (index: number) =>
    `---\ndocument: modulemd\nversion: 2\ndata:\n  name: module-${index}\n  stream: "1"\n  version: 1\n  context: c\n  arch: x86_64\n  summary: A module\n  dependencies:\n  - requires:\n      platform: [el9]\n  artifacts:\n    rpms:\n${nevras(index)}...\n`
  return Buffer.from(Array.from({ length: streams }, (_, index) => stream(index)).join(''))
}
