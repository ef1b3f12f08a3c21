import { wrongDocument } from '../xml/xml-error.ts'
import { shown, type Wrong } from './field-checks.ts'
import { readYamlDocuments, type YamlDocument, type YamlValue } from './yaml-documents.ts'

/** A document of the list of modules. */
export type ModuleDocument =
  | ModuleStream
  | ModuleDefaults
  | ModuleObsoletes
  | ModuleTranslations
  | UnknownModuleDocument

interface DocumentOf<Kind extends string> {
  readonly kind: Kind
  /** The document as it is written. */
  readonly source: string
}

export interface ModuleStream extends DocumentOf<'stream'> {
  readonly name: string
  readonly stream: string
  readonly version: string
  readonly context: string
  readonly arch: string
  readonly summary: string
  readonly description: string
  /** Packages as `name-epoch:version-release.arch`. */
  readonly artifacts: readonly string[]
  readonly profiles: readonly ModuleProfile[]
  /** Alternatives: each says which streams of which modules are needed; no streams means any. */
  readonly dependencies: readonly ReadonlyMap<string, readonly string[]>[]
}

export interface ModuleProfile {
  readonly name: string
  readonly description: string
  readonly packages: readonly string[]
}

export interface ModuleDefaults extends DocumentOf<'defaults'> {
  readonly module: string
  /** Empty when no stream is the default. */
  readonly stream: string
  /** Stream → names of its profiles. */
  readonly profiles: ReadonlyMap<string, readonly string[]>
}

export interface ModuleObsoletes extends DocumentOf<'obsoletes'> {
  readonly module: string
  readonly stream: string
  readonly context: string
  /** A date and time, as it is written. */
  readonly modified: string
  readonly message: string
  readonly endOfLife: string
  readonly obsoletedBy: { readonly module: string; readonly stream: string } | undefined
}

export interface ModuleTranslations extends DocumentOf<'translations'> {
  readonly module: string
  readonly stream: string
  readonly modified: string
}

/** A kind of document that is newer than this program. */
export type UnknownModuleDocument = DocumentOf<'unknown'>

type YamlMap = ReadonlyMap<unknown, YamlValue>

const emptyMap: YamlMap = new Map()

/**
 * Reads the modules of a repository, document by document.
 *
 * @throws AppError `upstream` that names the document or module, when it is not what it should be
 */
export async function* readModules(
  content: AsyncIterable<Uint8Array>,
  document = 'modules.yaml',
): AsyncGenerator<ModuleDocument, void, undefined> {
  for await (const found of readYamlDocuments(content, document)) yield parseModule(found, document)
}

function parseModule({ source, value }: YamlDocument, document: string): ModuleDocument {
  if (!(value instanceof Map)) throw wrongDocument(document, 'it has a document that is no mapping')
  const kind = textIn(value, 'document')
  const data = mapIn(value, 'data')
  const title = shown(textIn(data, 'name') || textIn(data, 'module'))
  const wrong: Wrong = (problem) => wrongDocument(document, `the ${kind} of ${title} ${problem}`)
  switch (kind) {
    case 'modulemd':
    case 'modulemd-stream':
      return parseStream(data, source, wrong)
    case 'modulemd-defaults':
      return parseDefaults(data, source, wrong)
    case 'modulemd-obsoletes':
      return parseObsoletes(data, source, wrong)
    case 'modulemd-translations':
      return { kind: 'translations', source, ...moduleOf(data, wrong), modified: textIn(data, 'modified') }
    default:
      return { kind: 'unknown', source }
  }
}

function parseStream(data: YamlMap, source: string, wrong: Wrong): ModuleStream {
  const version = textIn(data, 'version')
  if (!/^\d{0,20}$/.test(version)) throw wrong(`has the version ${shown(version)}, which is no number`)
  return {
    kind: 'stream',
    source,
    name: nameIn(data, 'name', wrong),
    stream: nameIn(data, 'stream', wrong),
    version,
    context: textIn(data, 'context'),
    arch: textIn(data, 'arch'),
    summary: textIn(data, 'summary'),
    description: textIn(data, 'description').trimEnd(),
    artifacts: textsOf(mapIn(data, 'artifacts').get('rpms')),
    profiles: [...mapIn(data, 'profiles')].map(readProfile),
    dependencies: readDependencies(data.get('dependencies')),
  }
}

function readProfile([name, value]: [unknown, YamlValue]): ModuleProfile {
  const profile = mapOf(value)
  return { name: String(name), description: textIn(profile, 'description'), packages: textsOf(profile.get('rpms')) }
}

/** The first version of modules had one mapping with one stream for each module. */
function readDependencies(value: YamlValue | undefined): readonly ReadonlyMap<string, readonly string[]>[] {
  const alternatives = Array.isArray(value) ? value : value === undefined ? [] : [value]
  return alternatives.map((alternative: YamlValue) => {
    const needed = [...mapIn(mapOf(alternative), 'requires')]
    return new Map(needed.map(([module, streams]) => [String(module), textsOf(streams)]))
  })
}

function parseDefaults(data: YamlMap, source: string, wrong: Wrong): ModuleDefaults {
  const profiles = [...mapIn(data, 'profiles')].map(([stream, names]) => [String(stream), textsOf(names)] as const)
  return {
    kind: 'defaults',
    source,
    module: nameIn(data, 'module', wrong),
    stream: textIn(data, 'stream'),
    profiles: new Map(profiles),
  }
}

function parseObsoletes(data: YamlMap, source: string, wrong: Wrong): ModuleObsoletes {
  const by = data.get('obsoleted_by')
  return {
    kind: 'obsoletes',
    source,
    ...moduleOf(data, wrong),
    context: textIn(data, 'context'),
    modified: textIn(data, 'modified'),
    message: textIn(data, 'message'),
    endOfLife: textIn(data, 'eol_date'),
    obsoletedBy: by instanceof Map ? moduleOf(by, wrong) : undefined,
  }
}

function moduleOf(data: YamlMap, wrong: Wrong): { module: string; stream: string } {
  return { module: nameIn(data, 'module', wrong), stream: nameIn(data, 'stream', wrong) }
}

function nameIn(data: YamlMap, key: string, wrong: Wrong): string {
  const name = textIn(data, key)
  if (name === '' || name.length > 256 || /[\s/\\]/.test(name))
    throw wrong(`has the ${key} ${shown(name)}, which is none`)
  return name
}

function textIn(data: YamlMap, key: string): string {
  const value = data.get(key)
  return typeof value === 'string' ? value : ''
}

function mapIn(data: YamlMap, key: string): YamlMap {
  return mapOf(data.get(key))
}

function mapOf(value: YamlValue | undefined): YamlMap {
  return value instanceof Map ? value : emptyMap
}

/** The texts of a list; one text alone is a list of it. */
function textsOf(value: YamlValue | undefined): readonly string[] {
  if (typeof value === 'string') return value === '' ? [] : [value]
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : []
}
