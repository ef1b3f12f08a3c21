import type { PackageFields } from '../packages/package-fields.ts'
import type { PackageFragments } from '../packages/package-fragments.ts'
import { childOf, childrenOf, detached, textOf, type XmlElement, type XmlRecord } from '../xml/xml-element.ts'
import { type Checksum, type Location, parseChecksum, parseCount, parseLocation, type Wrong } from './field-checks.ts'
import { checkNamePart, parseEpoch } from './package-checks.ts'
import { type PackageBatch, readPackages } from './read-packages.ts'

/** A package as the primary list of a repository tells of it. */
export interface PrimaryPackage {
  readonly fields: PackageFields
  /** Of the whole package; the other lists know it by this. */
  readonly checksum: Checksum
  readonly location: Location
  /** What is inside of its element, as it is written there. */
  readonly fragment: PackageFragments['primary']
}

const noAttributes: ReadonlyMap<string, string> = new Map()

/**
 * Reads the primary list of a repository, in batches of bounded size. The same package may come twice.
 *
 * @param passedOver how many packages were left out of the content
 * @throws AppError `upstream` that names the package, when its element is not what it should be
 */
export function readPrimary(
  content: AsyncIterable<Uint8Array>,
  document = 'primary.xml',
  passedOver: () => number = () => 0,
): AsyncGenerator<PackageBatch<PrimaryPackage>, void, undefined> {
  return readPackages(content, { document, root: 'metadata', levels: 2, parse: parsePackage, passedOver })
}

function parsePackage(record: XmlRecord, wrong: Wrong): PrimaryPackage {
  const checksum = onlyChild(record, 'checksum', wrong)
  const location = onlyChild(record, 'location', wrong)
  return {
    fields: parseFields(record, wrong),
    checksum: parseChecksum(checksum.attributes.get('type'), checksum.text, wrong),
    location: detachedLocation(parseLocation(location.attributes, wrong)),
    fragment: fragmentsAround(record, checksum, location),
  }
}

function parseFields(record: XmlRecord, wrong: Wrong): PackageFields {
  const version = onlyChild(record, 'version', wrong).attributes
  const part = (text: string | undefined, what: string) => detached(checkNamePart(text, what, wrong))
  const format = childOf(record, 'format')
  return {
    name: part(onlyChild(record, 'name', wrong).text.trim(), 'name'),
    epoch: parseEpoch(version.get('epoch'), wrong),
    version: part(version.get('ver'), 'version'),
    release: part(version.get('rel'), 'release'),
    arch: part(onlyChild(record, 'arch', wrong).text.trim(), 'architecture'),
    summary: detached(textOf(record, 'summary') ?? ''),
    sourceRpm: detached((format === undefined ? undefined : textOf(format, 'rpm:sourcerpm')) ?? ''),
    sizeBytes: parseCount(attributeOf(record, 'size', 'package'), 'size', wrong),
    buildTime: parseCount(attributeOf(record, 'time', 'build') ?? '0', 'build time', wrong),
  }
}

function attributeOf(record: XmlElement, child: string, attribute: string): string | undefined {
  return (childOf(record, child)?.attributes ?? noAttributes).get(attribute)
}

function onlyChild(record: XmlElement, name: string, wrong: Wrong): XmlElement {
  const [child, second] = childrenOf(record, name)
  if (child === undefined) throw wrong(`has no <${name}>`)
  if (second !== undefined) throw wrong(`has <${name}> twice`)
  return child
}

/** What is around checksum and location, whichever of them comes first. */
function fragmentsAround(record: XmlRecord, ...elements: [XmlElement, XmlElement]): PackageFragments['primary'] {
  const [first, second] = elements.sort((left, right) => left.from - right.from) as [XmlElement, XmlElement]
  const { source, innerFrom, innerTo } = record
  return {
    beforeChecksum: source.slice(innerFrom, first.from),
    beforeLocation: source.slice(first.to, second.from),
    afterLocation: source.slice(second.to, innerTo),
  }
}

function detachedLocation({ href, base }: Location): Location {
  return { href: detached(href), base: base === undefined ? undefined : detached(base) }
}
