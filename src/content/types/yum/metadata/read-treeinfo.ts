import { pathProblem } from '../../../repository-path.ts'
import { wrongDocument } from '../xml/xml-error.ts'
import { type Checksum, isChecksumType, parseChecksum, shown, type Wrong } from './field-checks.ts'
import { type IniSections, readIni } from './read-ini.ts'

/** What can be installed from a tree of files: an operating system with its images. */
export interface Treeinfo {
  readonly family: string
  readonly version: string
  readonly arch: string
  /** Of the tree as a whole; may be empty. */
  readonly variant: string
  readonly name: string
  /** Seconds, may be with a fraction, as it is written. */
  readonly timestamp: string
  /** Files of the tree: path → checksum. */
  readonly checksums: ReadonlyMap<string, Checksum>
  /** Platform → what an image is for → path. */
  readonly images: ReadonlyMap<string, ReadonlyMap<string, string>>
  /** What the installer loads: kind → path. */
  readonly stage2: ReadonlyMap<string, string>
  readonly variants: readonly TreeVariant[]
}

export interface TreeVariant {
  readonly id: string
  readonly uid: string
  readonly name: string
  /** `variant`, `optional`, `addon` and such. */
  readonly type: string
  /** Folders, relative to the tree; they may be beside it, as `../AppStream`. */
  readonly repository: string
  readonly packages: string
}

const document = 'treeinfo'
const maxFiles = 100_000

/**
 * Reads `.treeinfo`.
 *
 * @throws AppError `upstream` that says what is wrong with it
 */
export function readTreeinfo(text: string): Treeinfo {
  const ini = readIni(text, document)
  const value = (...places: readonly (readonly [string, string])[]) =>
    places.map(([section, key]) => ini.get(section)?.get(key)).find((found) => found !== undefined) ?? ''
  if (!ini.has('general') && !ini.has('release'))
    throw wrongDocument(document, 'it has neither [general] nor [release]')
  return {
    family: value(['general', 'family'], ['release', 'name'], ['product', 'name']),
    version: value(['general', 'version'], ['release', 'version'], ['product', 'version']),
    arch: value(['general', 'arch'], ['tree', 'arch']),
    variant: value(['general', 'variant']),
    name: value(['general', 'name'], ['release', 'name']),
    timestamp: value(['general', 'timestamp'], ['tree', 'build_timestamp']),
    checksums: readChecksums(ini),
    images: readImages(ini),
    stage2: new Map([...(ini.get('stage2') ?? [])].map(([kind, path]) => [kind, checkPath(path)])),
    variants: readVariants(ini),
  }
}

/** A checksum is `kind:digits`; kinds that nobody knows count for nothing. */
function readChecksums(ini: IniSections): ReadonlyMap<string, Checksum> {
  const checksums = new Map<string, Checksum>()
  for (const [path, written] of ini.get('checksums') ?? []) {
    const [type = '', digits] = written.split(':')
    const known = type.trim().toLowerCase() === 'sha' ? 'sha1' : type.trim().toLowerCase()
    checkPath(path)
    if (isChecksumType(known)) checksums.set(path, parseChecksum(known, digits, wrongAbout(path)))
  }
  if (checksums.size > maxFiles) throw wrongDocument(document, `it names more than ${maxFiles} files`)
  return checksums
}

function readImages(ini: IniSections): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const images = new Map<string, ReadonlyMap<string, string>>()
  for (const [section, paths] of ini) {
    if (!section.startsWith('images-')) continue
    for (const path of paths.values()) checkPath(path)
    images.set(section.slice('images-'.length), paths)
  }
  return images
}

function readVariants(ini: IniSections): readonly TreeVariant[] {
  const variants: TreeVariant[] = []
  for (const [section, values] of ini) {
    if (!section.startsWith('variant-') && !section.startsWith('addon-')) continue
    const value = (key: string) => values.get(key) ?? ''
    const uid = section.slice(section.indexOf('-') + 1)
    variants.push({
      id: value('id') || uid,
      uid: value('uid') || uid,
      name: value('name'),
      type: value('type'),
      repository: checkFolder(value('repository')),
      packages: checkFolder(value('packages')),
    })
  }
  return variants
}

function checkPath(path: string): string {
  const problem = pathProblem(path)
  if (problem !== undefined) throw wrongAbout(path)(problem)
  return path
}

/** The parts that lead out of the tree can only come first. */
function checkFolder(folder: string): string {
  const inside = folder.replace(/^(?:\.\.?(?:\/|$))+/, '').replace(/\/$/, '')
  if (inside !== '' && pathProblem(inside) !== undefined) throw wrongAbout(folder)(`${pathProblem(inside)}`)
  return folder
}

function wrongAbout(path: string): Wrong {
  return (problem) => wrongDocument(document, `the path ${shown(path)} ${problem}`)
}
