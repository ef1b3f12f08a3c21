import { wrongDocument } from '../xml/xml-error.ts'
import { shown } from './field-checks.ts'

export type IniSections = ReadonlyMap<string, ReadonlyMap<string, string>>

const maxChars = 1024 * 1024

/**
 * Reads sections of `key = value`; a line that is indented goes on with the value before it. Names keep their case, and
 * the last one counts.
 *
 * @throws AppError `upstream` that names the line that is none of it
 */
export function readIni(text: string, document: string): IniSections {
  if (text.length > maxChars) throw wrongDocument(document, `it has more than ${maxChars} characters`)
  const reader: IniReader = { sections: new Map(), section: undefined, key: undefined }
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const problem = addLine(reader, line)
    if (problem !== undefined) throw wrongDocument(document, `line ${index + 1} ${problem}`)
  }
  return reader.sections
}

interface IniReader {
  readonly sections: Map<string, Map<string, string>>
  section: Map<string, string> | undefined
  /** What the last line gave a value. */
  key: string | undefined
}

/** Gives what is wrong with the line, if anything is. */
function addLine(reader: IniReader, line: string): string | undefined {
  if (/^\s*(?:[#;].*)?$/.test(line)) return undefined
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is refused
  if (/[\0-\x08\x0b-\x1f\x7f]/.test(line)) return 'has control characters'
  const [, title] = /^\[(.+)\]\s*$/.exec(line) ?? []
  if (title !== undefined) beginSection(reader, title)
  else if (reader.section === undefined) return 'is in no section'
  else return addValue(reader, reader.section, line)
  return undefined
}

function beginSection(reader: IniReader, title: string): void {
  reader.section = reader.sections.get(title) ?? new Map()
  reader.sections.set(title, reader.section)
  reader.key = undefined
}

function addValue(reader: IniReader, section: Map<string, string>, line: string): string | undefined {
  if (reader.key !== undefined && /^\s/.test(line)) {
    section.set(reader.key, `${section.get(reader.key)}\n${line.trim()}`.trim())
    return undefined
  }
  const at = line.includes('=') ? line.indexOf('=') : line.indexOf(':')
  const key = line.slice(0, Math.max(0, at)).trim()
  if (key === '') return `is no "key = value": ${shown(line)}`
  section.set(key, line.slice(at + 1).trim())
  reader.key = key
  return undefined
}
