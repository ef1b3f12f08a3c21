import type { Kysely } from 'kysely'
import { timestamp } from '../../../../platform/http/timestamps.ts'
import { type Frame, readFrame } from '../packs/pack.ts'
import { findFrame } from '../packs/pack-store.ts'
import { readAllRecords } from '../xml/read-records.ts'
import { childOf, childrenOf, textOf, type XmlElement, type XmlRecord } from '../xml/xml-element.ts'

type Row = Readonly<Record<string, unknown>>

/** What the record of a single package has besides: what only its XML tells. */
export async function describePackage(db: Kysely<unknown>, row: Row): Promise<object> {
  const [primary, filelists] = await Promise.all([findElement(db, row, 'primary'), findElement(db, row, 'filelists')])
  const format = childOf(primary, 'format') ?? primary
  const built = Number(row['build_time'])
  const size = Number(row['size_bytes'])
  return {
    description: textOf(primary, 'description') ?? '',
    license: textOf(format, 'rpm:license') ?? '',
    buildhost: textOf(format, 'rpm:buildhost') ?? '',
    vendor: textOf(format, 'rpm:vendor') ?? '',
    group: textOf(format, 'rpm:group') ?? '',
    url: textOf(primary, 'url') ?? '',
    relativepath: childOf(primary, 'location')?.attributes.get('href') ?? '',
    checksumtype: 'sha256',
    size,
    human_readable_size: inWords(size),
    build_time: built,
    build_time_utc: timestamp(new Date(built * 1000)),
    requires: dependenciesOf(format, 'rpm:requires'),
    provides: dependenciesOf(format, 'rpm:provides'),
    files: childrenOf(filelists, 'file').map(({ text }) => text),
  }
}

/** The element of a package in one of the lists. */
async function findElement(db: Kysely<unknown>, row: Row, list: 'primary' | 'filelists'): Promise<XmlRecord> {
  // the pack is kept for a while when the package moves to another one
  const frame = (await findFrame(db, Number(row['pack_id']), list)) as Frame
  const xml = (await readFrame(frame))[Number(row['pack_index'])] as Buffer
  const content = ReadableStream.from([Buffer.from('<packages>'), xml, Buffer.from('</packages>')])
  const { records } = await readAllRecords(content, { document: `${list}.xml`, root: 'packages', levels: 3 })
  return records[0] as XmlRecord
}

const comparisons: Readonly<Record<string, string>> = { LT: '<', LE: '<=', EQ: '=', GE: '>=', GT: '>' }

/** As rpm writes them: `walrus >= 1:0.71-2`. */
function dependenciesOf(format: XmlElement, kind: string): string[] {
  const entries = childrenOf(format, kind).flatMap((list) => childrenOf(list, 'rpm:entry'))
  return entries.map(({ attributes }) => {
    const name = attributes.get('name') ?? ''
    const comparison = comparisons[attributes.get('flags') ?? '']
    return comparison === undefined ? name : `${name} ${comparison} ${versionOf(attributes)}`
  })
}

function versionOf(attributes: ReadonlyMap<string, string>): string {
  const epoch = attributes.get('epoch') ?? '0'
  const release = attributes.get('rel')
  return `${epoch === '0' ? '' : `${epoch}:`}${attributes.get('ver') ?? ''}${release === undefined ? '' : `-${release}`}`
}

/** A number of bytes as people say it: `1.5 MB`. */
function inWords(bytes: number): string {
  const units = ['Bytes', 'KB', 'MB', 'GB', 'TB']
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log(bytes) / Math.log(1024)))
  return `${Number((bytes / 1024 ** power).toPrecision(3))} ${units[power]}`
}
