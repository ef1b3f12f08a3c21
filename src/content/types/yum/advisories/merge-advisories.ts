import { readAllRecords } from '../xml/read-records.ts'
import { childOf, childrenOf, type XmlElement, type XmlRecord } from '../xml/xml-element.ts'

/**
 * Makes one advisory of several with one id, as their elements are written, the newest first: what it says, with the packages of
 * all of them.
 */
export async function mergeAdvisories(sources: readonly string[]): Promise<string> {
  const [newest] = sources
  if (newest === undefined || sources.length === 1) return newest ?? ''
  const content = ReadableStream.from([Buffer.from(`<updates>${sources.join('\n')}</updates>`)])
  const { records } = await readAllRecords(content, { document: 'updateinfo.xml', root: 'updates', levels: 4 })
  const [first, ...others] = records as readonly [XmlRecord, ...XmlRecord[]]
  const known = new Set(collectionsOf(first).flatMap(packagesOf).map(identityOf))
  const added = others.flatMap((other) => collectionsOf(other).flatMap((each) => withoutKnown(other, each, known)))
  return added.length === 0 ? newest : withCollections(first, added.join('\n'))
}

function collectionsOf(advisory: XmlElement): readonly XmlElement[] {
  return childrenOf(advisory, 'pkglist').flatMap((list) => childrenOf(list, 'collection'))
}

function packagesOf(collection: XmlElement): readonly XmlElement[] {
  return childrenOf(collection, 'package')
}

function identityOf({ attributes }: XmlElement): string {
  const { name, epoch, version, release, arch } = Object.fromEntries(attributes)
  return [name, epoch ?? '0', version, release, arch].join(' ')
}

/** A collection with the packages that are not known yet, which they are then; none when it has no such package. */
function withoutKnown({ source }: XmlRecord, collection: XmlElement, known: Set<string>): string[] {
  const parts: string[] = []
  let from = collection.from
  let isNew = false
  for (const each of packagesOf(collection)) {
    const identity = identityOf(each)
    if (known.has(identity)) {
      parts.push(source.slice(from, each.from))
      from = each.to
    } else isNew = true
    known.add(identity)
  }
  return isNew ? [parts.join('') + source.slice(from, collection.to)] : []
}

function withCollections(advisory: XmlRecord, added: string): string {
  const { source, innerTo } = advisory
  const list = childOf(advisory, 'pkglist')
  if (list === undefined) return `${source.slice(0, innerTo)}<pkglist>${added}</pkglist>${source.slice(innerTo)}`
  const own = childrenOf(list, 'collection').map(({ from, to }) => source.slice(from, to))
  return `${source.slice(0, list.from)}<pkglist>${[...own, added].join('\n')}</pkglist>${source.slice(list.to)}`
}
