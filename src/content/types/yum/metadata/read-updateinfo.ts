import { readRecords } from '../xml/read-records.ts'
import { childOf, childrenOf, textOf, type XmlElement, type XmlRecord } from '../xml/xml-element.ts'
import { wrongDocument } from '../xml/xml-error.ts'
import { type Checksum, isChecksumType, parseChecksum, shown, type Wrong } from './field-checks.ts'
import { checkNamePart, parseEpoch } from './package-checks.ts'

/** What a vendor says of packages that repair something. */
export interface Advisory {
  readonly id: string
  readonly from: string
  readonly status: string
  /** Mostly `security`, `bugfix`, `enhancement` or `newpackage`. */
  readonly type: string
  readonly version: string
  readonly title: string
  readonly severity: string
  readonly release: string
  /** As they are written: a date, a date and time, or seconds. */
  readonly issued: string
  readonly updated: string
  readonly summary: string
  readonly description: string
  readonly solution: string
  readonly rights: string
  readonly pushCount: string
  readonly isRebootSuggested: boolean
  readonly references: readonly AdvisoryReference[]
  readonly collections: readonly AdvisoryCollection[]
  /** Its element as it is written. */
  readonly source: string
}

export interface AdvisoryReference {
  readonly href: string
  readonly id: string
  /** Mostly `bugzilla`, `cve`, `self` or `other`. */
  readonly type: string
  readonly title: string
}

export interface AdvisoryCollection {
  readonly shortName: string
  readonly name: string
  readonly module: AdvisoryModule | undefined
  readonly packages: readonly AdvisoryPackage[]
}

export interface AdvisoryModule {
  readonly name: string
  readonly stream: string
  readonly version: string
  readonly context: string
  readonly arch: string
}

export interface AdvisoryPackage {
  readonly name: string
  readonly epoch: number
  readonly version: string
  readonly release: string
  readonly arch: string
  readonly src: string
  readonly filename: string
  readonly checksum: Checksum | undefined
  readonly isRebootSuggested: boolean
  readonly isRestartSuggested: boolean
  readonly isReloginSuggested: boolean
}

const defaultDocument = 'updateinfo.xml'
const maxAdvisories = 200_000

/**
 * Reads the advisories of a repository, those that arrive together at once. The same id may come twice.
 *
 * @throws AppError `upstream` that names the advisory, when its element is not what it should be
 */
export async function* readUpdateinfo(
  content: AsyncIterable<Uint8Array>,
  document = defaultDocument,
): AsyncGenerator<readonly Advisory[], void, undefined> {
  let count = 0
  for await (const { records } of readRecords(content, { document, root: 'updates', levels: 4 })) {
    const updates = records.filter(({ name }) => name === 'update')
    count += updates.length
    if (count > maxAdvisories) throw wrongDocument(document, `it has more than ${maxAdvisories} advisories`)
    if (updates.length > 0) yield updates.map((update) => parseAdvisory(update, document))
  }
}

function parseAdvisory(update: XmlRecord, document: string): Advisory {
  const id = textOf(update, 'id') ?? ''
  const wrong: Wrong = (problem) => wrongDocument(document, `the advisory ${shown(id)} ${problem}`)
  if (id === '' || id.length > 256 || /\s/.test(id)) throw wrong('has an id that is none')
  const attribute = (name: string) => update.attributes.get(name) ?? ''
  const text = (name: string) => textOf(update, name) ?? ''
  return {
    id,
    from: attribute('from'),
    status: attribute('status'),
    type: attribute('type'),
    version: attribute('version'),
    title: text('title'),
    severity: text('severity'),
    release: text('release'),
    issued: dateOf(update, 'issued'),
    updated: dateOf(update, 'updated'),
    summary: text('summary'),
    description: text('description'),
    solution: text('solution'),
    rights: text('rights'),
    pushCount: text('pushcount'),
    isRebootSuggested: isSet(update, 'reboot_suggested'),
    references: listIn(update, 'references', 'reference').map(readReference),
    collections: listIn(update, 'pkglist', 'collection').map((collection) => readCollection(collection, wrong)),
    source: update.source,
  }
}

function listIn(element: XmlElement, list: string, item: string): readonly XmlElement[] {
  return childrenOf(element, list).flatMap((each) => childrenOf(each, item))
}

function dateOf(update: XmlElement, name: string): string {
  const date = childOf(update, name)
  return date?.attributes.get('date') ?? date?.text.trim() ?? ''
}

/** There it means yes, unless it says otherwise. */
function isSet(element: XmlElement, name: string): boolean {
  const flag = childOf(element, name)
  return flag !== undefined && !/^(?:0|false|no)$/i.test(flag.text.trim())
}

function readReference({ attributes }: XmlElement): AdvisoryReference {
  const attribute = (name: string) => attributes.get(name) ?? ''
  return { href: attribute('href'), id: attribute('id'), type: attribute('type'), title: attribute('title') }
}

function readCollection(collection: XmlElement, wrong: Wrong): AdvisoryCollection {
  const module = childOf(collection, 'module')
  return {
    shortName: collection.attributes.get('short') ?? '',
    name: textOf(collection, 'name') ?? '',
    module: module === undefined ? undefined : readModule(module),
    packages: childrenOf(collection, 'package').map((each) => readPackage(each, wrong)),
  }
}

function readModule({ attributes }: XmlElement): AdvisoryModule {
  const attribute = (name: string) => attributes.get(name) ?? ''
  return {
    name: attribute('name'),
    stream: attribute('stream'),
    version: attribute('version'),
    context: attribute('context'),
    arch: attribute('arch'),
  }
}

function readPackage(element: XmlElement, wrong: Wrong): AdvisoryPackage {
  const attribute = (name: string) => element.attributes.get(name)
  return {
    name: checkNamePart(attribute('name'), 'package name', wrong),
    epoch: parseEpoch(attribute('epoch'), wrong),
    version: checkNamePart(attribute('version'), 'package version', wrong),
    release: checkNamePart(attribute('release'), 'package release', wrong),
    arch: checkNamePart(attribute('arch'), 'package architecture', wrong),
    src: attribute('src') ?? '',
    filename: textOf(element, 'filename') ?? '',
    checksum: checksumOf(element, wrong),
    isRebootSuggested: isSet(element, 'reboot_suggested'),
    isRestartSuggested: isSet(element, 'restart_suggested'),
    isReloginSuggested: isSet(element, 'relogin_suggested'),
  }
}

/** Of several the strongest; kinds that nobody knows count for nothing. */
function checksumOf(element: XmlElement, wrong: Wrong): Checksum | undefined {
  const sums = childrenOf(element, 'sum')
    .filter(({ attributes, text }) => isChecksumType(kindOf(attributes)) && text.trim() !== '')
    .map(({ attributes, text }) => parseChecksum(kindOf(attributes), text, wrong))
  return sums.sort((left, right) => right.value.length - left.value.length)[0]
}

function kindOf(attributes: ReadonlyMap<string, string>): string {
  const type = (attributes.get('type') ?? '').toLowerCase()
  return type === 'sha' ? 'sha1' : type
}
