import { setImmediate } from 'node:timers/promises'
import { parseDocument } from 'yaml'
import { messageOf } from '../../../../platform/errors.ts'
import { decodeUtf8 } from '../xml/decode-utf8.ts'
import { wrongDocument } from '../xml/xml-error.ts'

/** A list of modules has a document for each, most of some kilobytes. */
const maxDocumentChars = 1024 * 1024
const maxDocuments = 100_000
/** The parser is slow with more. */
const maxAliases = 100

/** What a YAML text holds: every scalar is a string, whatever it looks like. */
export type YamlValue = string | readonly YamlValue[] | ReadonlyMap<unknown, YamlValue> | null

export interface YamlDocument {
  /** As it is written, from its `---` on. */
  readonly source: string
  readonly value: YamlValue
}

/**
 * Gives the documents of a YAML stream one by one; empty ones are passed over. Memory holds one.
 *
 * @throws AppError `upstream` when one is no YAML, is too large, or uses aliases to grow
 */
export async function* readYamlDocuments(
  content: AsyncIterable<Uint8Array>,
  name: string,
): AsyncGenerator<YamlDocument, void, undefined> {
  let number = 0
  for await (const source of splitDocuments(content, name)) {
    number += 1
    if (number > maxDocuments) throw wrongDocument(name, `it has more than ${maxDocuments} documents`)
    const value = parseYaml(source, `${name}: document ${number}`)
    // an empty document is an empty text
    if (value !== null && value !== '') yield { source, value }
    await setImmediate()
  }
}

/** Cuts at the lines that YAML allows nowhere else. */
async function* splitDocuments(content: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<string> {
  let document = ''
  for await (const line of linesOf(content, name)) {
    const isBegin = /^---(?:[ \t\r\n]|$)/.test(line)
    const isEnd = /^\.\.\.(?:[ \t\r\n]|$)/.test(line)
    if ((isBegin || isEnd) && hasContent(document)) {
      yield document
      document = ''
    }
    if (isEnd) document = ''
    else document += line
    if (document.length > maxDocumentChars)
      throw wrongDocument(name, `it has a document of more than ${maxDocumentChars} characters`)
  }
  if (hasContent(document)) yield document
}

/** Directives and comments alone belong to what follows. */
function hasContent(document: string): boolean {
  return /^(?![ \t]*(?:#|\r?$)|%)/m.test(document)
}

/** Lines with their line feeds. */
async function* linesOf(content: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<string> {
  let rest = ''
  for await (const text of decodeUtf8(content, name)) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is refused
    if (/[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/.test(text)) throw wrongDocument(name, 'it has control characters')
    const lines = (rest + text).split(/(?<=\n)/)
    rest = lines.pop() ?? ''
    if (rest.length > maxDocumentChars) throw wrongDocument(name, 'it has a line without end')
    yield* lines
  }
  if (rest !== '') yield rest
}

function parseYaml(source: string, name: string): YamlValue {
  try {
    const document = parseDocument(source, {
      schema: 'failsafe',
      logLevel: 'silent',
      // looking for keys that come twice takes quadratic time
      uniqueKeys: false,
      prettyErrors: false,
    })
    const [error] = document.errors
    if (error !== undefined) throw error
    return document.toJS({ mapAsMap: true, maxAliasCount: maxAliases })
  } catch (error) {
    // the parser nests as deep as its text, so that even the stack may end
    throw wrongDocument(name, messageOf(error).slice(0, 300), error)
  }
}
