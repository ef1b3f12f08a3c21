import { readRecords } from '../xml/read-records.ts'
import type { XmlRecord } from '../xml/xml-element.ts'
import { wrongDocument } from '../xml/xml-error.ts'
import { shown, type Wrong } from './field-checks.ts'

const maxPackages = 1_000_000
const batchPackages = 250
/** A batch with more than this ends, however few packages it has. */
const batchChars = 16 * 1024 * 1024

/** Some of the packages of a list. */
export interface PackageBatch<Entry> {
  readonly packages: readonly Entry[]
  /** How many the list says that it has. */
  readonly announced: number | undefined
  /** With the last batch, when that is not true. */
  readonly warning: string | undefined
}

/** One of the three lists of packages. */
export interface PackageList<Entry> {
  /** What it is called in messages. */
  readonly document: string
  readonly root: string
  /** As in `RecordOptions`. */
  readonly levels: number
  /** How many packages were left out before. */
  readonly passedOver: () => number
  /** `wrong` names the package. */
  readonly parse: (record: XmlRecord, wrong: Wrong) => Entry
}

/** Reads a list of packages; the last batch may be empty. */
export async function* readPackages<Entry>(
  content: AsyncIterable<Uint8Array>,
  list: PackageList<Entry>,
): AsyncGenerator<PackageBatch<Entry>, void, undefined> {
  let announced: number | undefined
  let count = 0
  let packages: Entry[] = []
  let chars = 0
  for await (const { root, records } of readRecords(content, list)) {
    announced = announcedBy(root.attributes.get('packages'))
    for (const record of records) {
      if (!isPackage(record)) continue
      packages.push(parseNumbered(record, list, ++count))
      chars += record.source.length
      if (packages.length < batchPackages && chars < batchChars) continue
      yield { packages, announced, warning: undefined }
      packages = []
      chars = 0
    }
  }
  yield { packages, announced, warning: warningOf(list.document, announced, count + list.passedOver()) }
}

function parseNumbered<Entry>(record: XmlRecord, list: PackageList<Entry>, number: number): Entry {
  const { document, parse, passedOver } = list
  if (number > maxPackages) throw wrongDocument(document, `it has more than ${maxPackages} packages`)
  // what was left out before may have been in front of it or not
  const place = passedOver() === 0 ? ` ${number}` : ''
  return parse(record, (problem) => wrongDocument(document, `package${place}${titleOf(record)} ${problem}`))
}

function titleOf(record: XmlRecord): string {
  const name = record.attributes.get('name') ?? record.children.find((child) => child.name === 'name')?.text
  return name === undefined ? '' : ` (${shown(name)})`
}

/** Lists of other systems had patches and patterns in the same place. */
function isPackage({ name, attributes }: XmlRecord): boolean {
  return name === 'package' && (attributes.get('type') ?? 'rpm') === 'rpm'
}

function announcedBy(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined
}

function warningOf(document: string, announced: number | undefined, count: number): string | undefined {
  if (announced === undefined || announced === count) return undefined
  return `${document} says that it has ${announced} packages and has ${count}`
}
