import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { sha256 as digestOf } from './uploads.ts'
import { startUpstream, type UpstreamServer } from './upstream-server.ts'

/** A package as the lists of a repository tell of it; its bytes need not be an rpm. */
export interface MadePackage {
  readonly name: string
  readonly bytes: Buffer
  /** Instead of the sha256 of the bytes. */
  readonly pkgid?: string
  readonly version?: string
  /** Further attributes and elements, as they are written. */
  readonly locationBase?: string
  readonly summary?: string
}

/** A metadata file; whatever is given besides its text is said of it, true or not. */
export interface MadeRecord {
  readonly type: string
  readonly text: string | Buffer
  readonly pack?: (text: Buffer) => Buffer
  /** What is really served. */
  readonly served?: Buffer
  readonly checksum?: string
  readonly size?: number | null
  readonly openChecksum?: string | null
  readonly openSize?: number | null
  readonly base?: string
  /** Not named by its checksum, as old writers have it. */
  readonly isPlainlyNamed?: boolean
}

/** Path → bytes. */
export type MadeFiles = Map<string, Buffer>

export function madePackage(name: string, more: Partial<MadePackage> = {}): MadePackage {
  return { name, bytes: Buffer.from(`The bytes of ${name} ${randomBytes(16).toString('hex')}`), ...more }
}

export const hrefOf = ({ name, version = '1.0' }: MadePackage) => `pool/${name}-${version}-1.noarch.rpm`
export const publishedPathOf = ({ name, version = '1.0' }: MadePackage) =>
  `Packages/${name.slice(0, 1)}/${name}-${version}-1.noarch.rpm`

const idOf = ({ bytes, pkgid = digestOf(bytes) }: MadePackage) => pkgid
const versionOf = ({ version = '1.0' }: MadePackage) => `<version epoch="0" ver="${version}" rel="1"/>`

export function primaryElement(made: MadePackage): string {
  const { name, bytes, locationBase, summary = `What ${name} is` } = made
  const base = locationBase === undefined ? '' : ` xml:base="${locationBase}"`
  return `<package type="rpm"><name>${name}</name><arch>noarch</arch>${versionOf(made)}
<checksum type="sha256" pkgid="YES">${idOf(made)}</checksum><summary>${summary}</summary><description/>
<time file="1" build="1"/><size package="${bytes.length}" installed="1" archive="1"/>
<location${base} href="${hrefOf(made)}"/><format><rpm:license>MIT</rpm:license></format></package>\n`
}

function listed(made: MadePackage, inner: string): string {
  return `<package pkgid="${idOf(made)}" name="${made.name}" arch="noarch">${versionOf(made)}${inner}</package>\n`
}

/** The three lists, as true records; each time other ones of the same meaning. */
export function madeLists(packages: readonly MadePackage[]): MadeRecord[] {
  const count = packages.length
  const file = ({ name }: MadePackage) => `<file>/usr/share/${name}</file>`
  const change = ({ name }: MadePackage) => `<changelog author="A" date="1">Made ${name}</changelog>`
  // no two are the same bytes, so that none was fetched before
  const head = `<?xml version="1.0" encoding="UTF-8"?>\n<!-- ${randomBytes(8).toString('hex')} -->\n`
  const elements = (write: (made: MadePackage) => string) => packages.map(write).join('')
  return [
    {
      type: 'primary',
      text: `${head}<metadata xmlns:rpm="rpm" packages="${count}">\n${elements(primaryElement)}</metadata>\n`,
    },
    {
      type: 'filelists',
      text: `${head}<filelists packages="${count}">\n${elements((made) => listed(made, file(made)))}</filelists>\n`,
    },
    {
      type: 'other',
      text: `${head}<otherdata packages="${count}">\n${elements((made) => listed(made, change(made)))}</otherdata>\n`,
    },
  ]
}

/** All files of a repository. */
export function madeFiles(packages: readonly MadePackage[], records: readonly MadeRecord[] = madeLists(packages)) {
  const files: MadeFiles = new Map(packages.map((made) => [hrefOf(made), made.bytes]))
  const data = records.map((record) => {
    const { href, served, element } = writtenRecord(record)
    files.set(href, served)
    return element
  })
  files.set('repodata/repomd.xml', repomdOf(data))
  return files
}

function repomdOf(data: readonly string[]): Buffer {
  const revision = randomBytes(8).toString('hex')
  return Buffer.from(`<?xml version="1.0"?>\n<repomd><revision>${revision}</revision>\n${data.join('')}</repomd>\n`)
}

/** A record with what is served for it, and how repomd.xml names it. */
function writtenRecord(record: MadeRecord) {
  const { type, pack = gzipSync, isPlainlyNamed = false, base } = record
  const text = Buffer.from(record.text as string)
  const packed = pack(text)
  const { served = packed, checksum = digestOf(packed), size = packed.length } = record
  const { openChecksum = digestOf(text), openSize = text.length } = record
  const href = `repodata/${isPlainlyNamed ? '' : `${checksum}-`}${type}.xml`
  const given = (name: string, value: string | number | null, attributes = '') =>
    value === null ? '' : `<${name}${attributes}>${value}</${name}>`
  const sha256 = ' type="sha256"'
  const element = `<data type="${type}">${given('checksum', checksum, sha256)}${given('open-checksum', openChecksum, sha256)}
<location${base === undefined ? '' : ` xml:base="${base}"`} href="${href}"/>${given('size', size)}${given('open-size', openSize)}</data>\n`
  return { href, served, element }
}

/** Answers instead of what is in the folder, unless it has nothing to say. */
export type Answer = (path: string, response: ServerResponse, request: IncomingMessage) => unknown

/** Repositories in folders of one server, in memory. */
export class MadeUpstream implements AsyncDisposable {
  readonly folders = new Map<string, MadeFiles>()
  readonly answers = new Map<string, Answer>()
  readonly #server: UpstreamServer

  private constructor(server: UpstreamServer) {
    this.#server = server
  }

  static async start(): Promise<MadeUpstream> {
    let made: MadeUpstream | undefined
    made = new MadeUpstream(await startUpstream((request, response) => made?.answer(request, response)))
    return made
  }

  url(folder: string): string {
    return `${this.#server.url}/${folder}/`
  }

  /** The paths below a folder that were asked for, in order. */
  asked(folder: string): string[] {
    const start = `/${folder}/`
    return this.#server.requests.flatMap(({ url = '' }) => (url.startsWith(start) ? [url.slice(start.length)] : []))
  }

  answer(request: IncomingMessage, response: ServerResponse): void {
    const [, folder = '', ...rest] = (request.url ?? '').split('/')
    const path = rest.join('/')
    this.answers.get(folder)?.(path, response, request)
    if (response.headersSent) return
    const bytes = this.folders.get(folder)?.get(path)
    if (bytes === undefined) response.writeHead(404).end()
    else response.writeHead(200, { 'content-length': bytes.length }).end(bytes)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]()
  }
}
