import { readAllRecords } from '../xml/read-records.ts'
import { childOf, childrenOf, textOf, type XmlElement, type XmlRecord } from '../xml/xml-element.ts'
import { wrongDocument } from '../xml/xml-error.ts'
import { shown } from './field-checks.ts'

/** A text with its translations: language → text. */
export interface TranslatedText {
  readonly text: string
  readonly translations: ReadonlyMap<string, string>
}

interface Described {
  readonly id: string
  readonly name: TranslatedText
  readonly description: TranslatedText
  readonly displayOrder: number | undefined
  /** Its element as it is written. */
  readonly source: string
}

export interface PackageGroup extends Described {
  readonly isDefault: boolean
  readonly isUserVisible: boolean
  readonly isBiarchOnly: boolean
  readonly langOnly: string
  readonly packages: readonly GroupPackage[]
}

export interface GroupPackage {
  readonly name: string
  /** `mandatory`, `default`, `optional` or `conditional`. */
  readonly type: string
  /** What a conditional one is for. */
  readonly requires: string
  readonly arch: string
  readonly isBaseArchOnly: boolean
}

export interface PackageCategory extends Described {
  readonly groupIds: readonly string[]
}

export interface PackageEnvironment extends Described {
  readonly groupIds: readonly string[]
  readonly options: readonly { readonly groupId: string; readonly isDefault: boolean }[]
}

/** Packages that are installed for a language: `%s` stands for it. */
export interface LanguagePack {
  readonly name: string
  readonly install: string
}

export interface Comps {
  readonly groups: readonly PackageGroup[]
  readonly categories: readonly PackageCategory[]
  readonly environments: readonly PackageEnvironment[]
  readonly langpacks: readonly LanguagePack[]
  /** The elements of the language packs as they are written, mostly one. */
  readonly langpackSources: readonly string[]
}

/**
 * Reads the groups of packages that a repository has.
 *
 * @throws AppError `upstream` that names the group, category or environment that has no proper id, or has one twice
 */
export async function readComps(content: AsyncIterable<Uint8Array>, document = 'comps.xml'): Promise<Comps> {
  const { records } = await readAllRecords(content, { document, root: 'comps', levels: 3 })
  checkIds(records, document)
  const named = (wanted: string) => records.filter(({ name }) => name === wanted)
  const langpacks = named('langpacks')
  return {
    groups: named('group').map(readGroup),
    categories: named('category').map(readCategory),
    environments: named('environment').map(readEnvironment),
    langpacks: langpacks.flatMap((list) => childrenOf(list, 'match')).map(readLangpack),
    langpackSources: langpacks.map(({ source }) => source),
  }
}

function checkIds(records: readonly XmlRecord[], document: string): void {
  const seen = new Set<string>()
  for (const record of records) {
    if (!['group', 'category', 'environment'].includes(record.name)) continue
    const id = textOf(record, 'id') ?? ''
    const wrong = (problem: string) => wrongDocument(document, `the ${record.name} ${shown(id)} ${problem}`)
    if (id === '' || id.length > 256) throw wrong('has an id that is none')
    if (seen.has(`${record.name} ${id}`)) throw wrong('is there twice')
    seen.add(`${record.name} ${id}`)
  }
}

function readGroup(group: XmlRecord): PackageGroup {
  return {
    ...readDescribed(group),
    isDefault: isTrue(textOf(group, 'default'), false),
    isUserVisible: isTrue(textOf(group, 'uservisible'), true),
    isBiarchOnly: isTrue(textOf(group, 'biarchonly'), false),
    langOnly: textOf(group, 'langonly') ?? '',
    packages: listIn(group, 'packagelist', 'packagereq').map(readGroupPackage),
  }
}

function readGroupPackage({ attributes, text }: XmlElement): GroupPackage {
  return {
    name: text.trim(),
    type: attributes.get('type') ?? 'mandatory',
    requires: attributes.get('requires') ?? '',
    arch: attributes.get('arch') ?? '',
    isBaseArchOnly: isTrue(attributes.get('basearchonly'), false),
  }
}

function readCategory(category: XmlRecord): PackageCategory {
  return { ...readDescribed(category), groupIds: textsIn(category, 'grouplist') }
}

function readEnvironment(environment: XmlRecord): PackageEnvironment {
  const options = listIn(environment, 'optionlist', 'groupid')
  return {
    ...readDescribed(environment),
    groupIds: textsIn(environment, 'grouplist'),
    options: options.map(({ attributes, text }) => ({
      groupId: text.trim(),
      isDefault: isTrue(attributes.get('default'), false),
    })),
  }
}

function readLangpack({ attributes }: XmlElement): LanguagePack {
  return { name: attributes.get('name') ?? '', install: attributes.get('install') ?? '' }
}

function readDescribed(record: XmlRecord): Described {
  const order = textOf(record, 'display_order') ?? ''
  return {
    id: textOf(record, 'id') as string,
    name: readTranslated(record, 'name'),
    description: readTranslated(record, 'description'),
    displayOrder: /^-?\d{1,9}$/.test(order) ? Number(order) : undefined,
    source: record.source,
  }
}

function readTranslated(record: XmlElement, name: string): TranslatedText {
  const texts = childrenOf(record, name)
  const translated = texts.filter(({ attributes }) => attributes.has('xml:lang'))
  return {
    text: texts.find(({ attributes }) => !attributes.has('xml:lang'))?.text.trim() ?? '',
    translations: new Map(
      translated.map(({ attributes, text }) => [attributes.get('xml:lang') as string, text.trim()]),
    ),
  }
}

function textsIn(record: XmlElement, list: string): readonly string[] {
  return listIn(record, list, 'groupid').map(({ text }) => text.trim())
}

function listIn(record: XmlElement, list: string, item: string): readonly XmlElement[] {
  const element = childOf(record, list)
  return element === undefined ? [] : childrenOf(element, item)
}

function isTrue(text: string | undefined, otherwise: boolean): boolean {
  return text === undefined ? otherwise : /^(?:true|yes|1)$/i.test(text)
}
