import { spawnSync } from 'node:child_process'
import type { Dependency, PackageFile } from '../../src/content/types/yum/packages/package-details.ts'
import type { MadePackage } from './made-metadata.ts'

/**
 * The first packages of Debian's own lists, as many as are wanted, as rpms. What these lists do not tell is made up: files, 50 to
 * 90 of each package, and changelogs.
 */
export function listDebianPackages(wanted: number): MadePackage[] {
  const { stdout } = spawnSync('apt-cache', ['dumpavail'], { encoding: 'utf8', maxBuffer: 2 ** 29 })
  const known = stdout.split('\n\n').map(fieldsOf)
  const packages = new Map(known.flatMap((get) => (get('SHA256') === '' ? [] : [[get('SHA256'), toPackage(get)]])))
  if (packages.size < wanted) throw new Error(`Debian's lists tell of ${packages.size} packages: run apt-get update`)
  return [...packages.values()].slice(0, wanted)
}

type Fields = (name: string) => string

function fieldsOf(record: string): Fields {
  const fields = new Map(Array.from(record.matchAll(/^([\w-]+): (.*)$/gm), ([, name, value]) => [name, value]))
  return (name) => fields.get(name) ?? ''
}

function toPackage(get: Fields): MadePackage {
  const evr = parseEvr(get('Version'))
  const fields = {
    ...evr,
    epoch: Number(evr.epoch),
    name: get('Package'),
    arch: get('Architecture') === 'all' ? 'noarch' : 'x86_64',
    summary: get('Description'),
    sourceRpm: `${get('Source').split(' ', 1)[0] || get('Package')}-${evr.version}-${evr.release}.src.rpm`,
    sizeBytes: Number(get('Size')),
    buildTime: 1_690_000_000,
  }
  return { sha256: get('SHA256'), fields, details: () => detailsOf(get, evr) }
}

function detailsOf(get: Fields, evr: Evr): ReturnType<MadePackage['details']> {
  const name = get('Package')
  const installedBytes = Number(get('Installed-Size')) * 1024
  return {
    description: `${get('Description')}\n${get('Tag')}`,
    license: 'Unknown',
    vendor: 'Debian',
    group: get('Section'),
    buildHost: 'build.example',
    packager: get('Maintainer'),
    url: get('Homepage'),
    modularityLabel: '',
    headerRange: { start: 4504, end: 12_000 },
    installedBytes,
    archiveBytes: installedBytes + 512,
    fileTime: 1_700_000_000,
    dependencies: {
      provides: [{ name, comparison: 'EQ', ...evr, isPre: false }, ...dependenciesOf(get('Provides'))],
      requires: [...dependenciesOf(get('Pre-Depends'), true), ...dependenciesOf(get('Depends'))],
      conflicts: dependenciesOf(get('Conflicts')),
      obsoletes: dependenciesOf(get('Replaces')),
      suggests: dependenciesOf(get('Suggests')),
      enhances: dependenciesOf(get('Enhances')),
      recommends: dependenciesOf(get('Recommends')),
      supplements: [],
    },
    files: filesOf(name, 50 + (installedBytes % 41)),
    changelogs: changelogsOf(get('Maintainer'), name),
  }
}

function filesOf(name: string, count: number): PackageFile[] {
  const files: PackageFile[] = [
    { path: `/usr/bin/${name}`, type: 'file' },
    { path: `/usr/share/doc/${name}`, type: 'dir' },
  ]
  for (let at = 0; at < count; at++)
    files.push({ path: `/usr/share/${name}/some/folder-${at % 9}/file-${at * 7}.html`, type: 'file' })
  return files
}

function changelogsOf(packager: string, name: string) {
  return Array.from({ length: 8 }, (_, at) => ({
    author: `${packager} - 1.${at}-1`,
    time: 1_600_000_000 + at * 86_400,
    text: `- Repaired number ${at} of ${name}`,
  }))
}

const comparisons = new Map<string, Dependency['comparison']>([
  ['>=', 'GE'],
  ['<=', 'LE'],
  ['=', 'EQ'],
  ['<<', 'LT'],
  ['>>', 'GT'],
])

/** Of alternatives the first. */
function dependenciesOf(text: string, isPre = false): Dependency[] {
  return text.split(', ').flatMap((part) => {
    const [, name, sign = '', version = ''] = /^([^\s:|]+)[^\s(]*(?: \(([<>=]+) ([^)]+)\))?/.exec(part) ?? []
    if (name === undefined) return []
    const comparison = comparisons.get(sign) ?? ''
    const evr = comparison === '' ? { epoch: '', version: '', release: '' } : parseEvr(version)
    return [{ name, comparison, ...evr, isPre }]
  })
}

type Evr = Pick<Dependency, 'epoch' | 'version' | 'release'>

function parseEvr(text: string): Evr {
  const [, epoch = '0', version = '0', release = '1'] = /^(?:(\d+):)?(.+?)(?:-([^-]+))?$/.exec(text) ?? []
  return { epoch, version: version.replaceAll('-', '_'), release }
}
