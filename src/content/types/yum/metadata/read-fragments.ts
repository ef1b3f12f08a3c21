import { detached, type XmlRecord } from '../xml/xml-element.ts'
import { shown, type Wrong } from './field-checks.ts'
import { type PackageBatch, readPackages } from './read-packages.ts'

/** What one of the longer lists says of a package. */
export interface PackageFragment {
  /** The checksum by which the primary list knows the package, in lower case. */
  readonly pkgid: string
  /** What is between the tags of its element, as it is written there. */
  readonly inner: string
}

type Fragments = AsyncGenerator<PackageBatch<PackageFragment>, void, undefined>

/**
 * Reads the list of files of packages, in batches of bounded size. The same package may come twice.
 *
 * @throws AppError `upstream` that names the package that has no proper id
 */
export function readFilelists(content: AsyncIterable<Uint8Array>, document = 'filelists.xml'): Fragments {
  return readPackages(content, { document, root: 'filelists', levels: 0, parse: parseFragment, passedOver: () => 0 })
}

/** Reads the list of changelogs of packages, like that of files. */
export function readOther(content: AsyncIterable<Uint8Array>, document = 'other.xml'): Fragments {
  return readPackages(content, { document, root: 'otherdata', levels: 0, parse: parseFragment, passedOver: () => 0 })
}

function parseFragment({ attributes, source, innerFrom, innerTo }: XmlRecord, wrong: Wrong): PackageFragment {
  const pkgid = (attributes.get('pkgid') ?? '').toLowerCase()
  if (!/^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})$/.test(pkgid))
    throw wrong(`has the id ${shown(pkgid)}, which is no checksum`)
  return { pkgid: detached(pkgid), inner: source.slice(innerFrom, innerTo) }
}
