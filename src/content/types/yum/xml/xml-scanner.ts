import { type AttributePlaces, findAttributes } from './xml-attributes.ts'
import { wrongDocument } from './xml-error.ts'
import { maxDepth, maxMarkupChars } from './xml-limits.ts'
import { canBeginName, endOfBlanks, endOfName } from './xml-names.ts'
import { checkDeclaration, isDoctype } from './xml-prolog.ts'
import { decodeAttribute, decodeText, hasReference, maxReferenceChars } from './xml-references.ts'

/** `more`: what is there ends in the middle of something; `finished`: the document is whole. */
export type XmlToken = 'start' | 'end' | 'text' | 'more' | 'finished'

const lessThan = 60
const greaterThan = 62
const slash = 47
const exclamation = 33
const question = 63
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is refused
const controlCharacters = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/

/**
 * Takes a document apart, piece by piece as it arrives, and checks that it is well-formed XML 1.0. There is no DTD: a
 * DOCTYPE may only name one, and there are no entities but the five that everybody knows. Comments and processing
 * instructions are passed over; an empty element gives `start` and `end`; text may come in several tokens.
 *
 * Every method throws AppError `upstream` that names the document.
 */
export class XmlScanner {
  /** Where the last token lies, in characters of the whole document. */
  from = 0
  to = 0
  /** The element that was started or ended last. */
  name = ''

  readonly #document: string
  readonly #open: string[] = []
  #text = ''
  #at = 0
  /** So many characters of the document are no longer in `#text`. */
  #gone = 0
  #isWhole = false
  #hadRoot = false
  #isEmptyElement = false
  #isCdata = false
  /** The next of each at or after the place where one was looked for; the end of the text when there is none. */
  #ampersand = -1
  #sectionEnd = -1
  readonly #attributes: AttributePlaces = { count: 0, nameFrom: [], nameTo: [], valueFrom: [], valueTo: [] }
  #keptFrom = -1
  #kept: string[] = []

  constructor(document: string) {
    this.#document = document
  }

  /** The elements that are open now; the one that was just started among them, the one that was just ended not. */
  get depth(): number {
    return this.#open.length
  }

  /** Gives more of the document. What the last token said is gone then. */
  add(text: string): void {
    if (controlCharacters.test(text)) throw this.wrong('it has control characters')
    if (this.#keptFrom !== -1) {
      this.#kept.push(this.#text.slice(this.#keptFrom - this.#gone, this.#at))
      this.#keptFrom = this.#gone + this.#at
    }
    this.#text = this.#at === this.#text.length ? text : this.#text.slice(this.#at) + text
    this.#gone += this.#at
    this.#at = 0
    this.#ampersand = -1
    this.#sectionEnd = -1
  }

  /** There is no more. */
  finish(): void {
    this.#isWhole = true
  }

  next(): XmlToken {
    if (this.#isEmptyElement) return this.#endEmptyElement()
    let token = this.#readPiece()
    while (token === undefined) token = this.#readPiece()
    return token
  }

  /** Gives nothing for what is passed over. */
  #readPiece(): XmlToken | undefined {
    const at = this.#at
    if (at === this.#text.length) return this.#endOfText()
    if (this.#text.charCodeAt(at) !== lessThan) return this.#readText()
    const code = this.#text.charCodeAt(at + 1)
    if (code === slash) return this.#readEnd()
    return code === exclamation || code === question ? this.#passMarkup(code) : this.#readStart()
  }

  /** Whether the element that was just started has any attributes. */
  get hasAttributes(): boolean {
    return this.#attributes.count > 0
  }

  /** The attributes of the element that was just started. */
  attributes(): ReadonlyMap<string, string> {
    const { count, nameFrom, nameTo, valueFrom, valueTo } = this.#attributes
    const values = new Map<string, string>()
    for (let index = 0; index < count; index++) {
      const name = this.#text.slice(nameFrom[index], nameTo[index])
      values.set(name, decodeAttribute(this.#text.slice(valueFrom[index], valueTo[index])))
    }
    return values
  }

  /** What the last token `text` means. */
  text(): string {
    if (!this.#isCdata) return decodeText(this.#text.slice(this.from - this.#gone, this.to - this.#gone))
    return this.#text.slice(this.from - this.#gone + 9, this.to - this.#gone - 3).replace(/\r\n?/g, '\n')
  }

  /** Whether the last token `text` is of blanks alone. */
  get isBlank(): boolean {
    return !this.#isCdata && endOfBlanks(this.#text, this.from - this.#gone) >= this.to - this.#gone
  }

  /** Keeps the document as it is written, from this place of the last token on, until it is taken. */
  keepFrom(place: number): void {
    this.#keptFrom = place
    this.#kept = []
  }

  /** What was kept, up to this place of the last token. */
  takeKept(to: number): string {
    const last = this.#text.slice(this.#keptFrom - this.#gone, to - this.#gone)
    const kept = this.#kept.length === 0 ? last : this.#kept.join('') + last
    this.#keptFrom = -1
    this.#kept = []
    return kept
  }

  wrong(problem: string): Error {
    return wrongDocument(this.#document, `${problem} (at character ${this.#gone + this.#at})`)
  }

  #endOfText(): XmlToken {
    if (!this.#isWhole) return 'more'
    if (!this.#hadRoot || this.#open.length > 0) throw this.wrong('it ends too early')
    return 'finished'
  }

  #unfinished(): XmlToken {
    if (this.#isWhole) throw this.wrong('it ends too early')
    if (this.#text.length - this.#at > maxMarkupChars)
      throw this.wrong(`it has a tag of more than ${maxMarkupChars} characters`)
    return 'more'
  }

  #token(kind: XmlToken, end: number): XmlToken {
    this.from = this.#gone + this.#at
    this.to = this.#gone + end
    this.#at = end
    return kind
  }

  #readText(): XmlToken {
    const next = this.#text.indexOf('<', this.#at)
    const end = next === -1 ? this.#endOfWholeText() : next
    if (end === this.#at) return 'more'
    this.#checkText(this.#at, end)
    if (this.#open.length === 0 && endOfBlanks(this.#text, this.#at) < end)
      throw this.wrong('it has text outside of its root')
    this.#isCdata = false
    return this.#token('text', end)
  }

  /** Where text can be cut without cutting a reference, an end of line, or what must not be in text. */
  #endOfWholeText(): number {
    const { length } = this.#text
    if (this.#isWhole) return length
    const ampersand = this.#text.lastIndexOf('&')
    if (ampersand >= Math.max(this.#at, length - maxReferenceChars) && !this.#text.includes(';', ampersand))
      return ampersand
    return Math.max(this.#at, /[\]\r]$/.test(this.#text.slice(-1)) ? length - 2 : length)
  }

  #checkText(from: number, to: number): void {
    this.#checkReferences(from, to)
    if (this.#sectionEnd < from) this.#sectionEnd = placeOf(this.#text, ']]>', from)
    if (this.#sectionEnd < to) throw this.wrong('it has "]]>" in its text')
  }

  #checkReferences(from: number, to: number): void {
    if (this.#ampersand < from) this.#ampersand = placeOf(this.#text, '&', from)
    while (this.#ampersand < to) {
      if (!hasReference(this.#text, this.#ampersand)) throw this.wrong('it has an "&" that begins no known character')
      this.#ampersand = placeOf(this.#text, '&', this.#ampersand + 1)
    }
  }

  #readEnd(): XmlToken {
    const { length } = this.#open
    const name = length === 0 ? '' : (this.#open[length - 1] as string)
    const end = this.#at + 2 + name.length
    if (end >= this.#text.length) return this.#unfinished()
    if (length === 0 || !this.#text.startsWith(name, this.#at + 2))
      throw this.wrong(`it does not end <${name}> where it should`)
    const close = this.#text.charCodeAt(end) === greaterThan ? end : endOfBlanks(this.#text, end)
    if (close >= this.#text.length) return this.#unfinished()
    if (this.#text.charCodeAt(close) !== greaterThan) throw this.wrong(`it does not end <${name}> where it should`)
    this.#open.length = length - 1
    this.name = name
    return this.#token('end', close + 1)
  }

  #readStart(): XmlToken {
    const nameFrom = this.#at + 1
    if (nameFrom >= this.#text.length) return this.#unfinished()
    if (!canBeginName(this.#text.charCodeAt(nameFrom))) throw this.wrong('it has a "<" that begins no tag')
    const nameTo = endOfName(this.#text, nameFrom)
    const end = this.#readAttributes(nameTo)
    if (end >= this.#text.length) return this.#unfinished()
    const isEmpty = this.#text.charCodeAt(end) === slash
    if (isEmpty && end + 1 >= this.#text.length) return this.#unfinished()
    if (isEmpty && this.#text.charCodeAt(end + 1) !== greaterThan) throw this.wrong('it has a tag that does not end')
    this.#openElement(this.#nameAt(nameFrom, nameTo))
    this.#isEmptyElement = isEmpty
    return this.#token('start', isEmpty ? end + 2 : end + 1)
  }

  /** Mostly the same as that of the tag before. */
  #nameAt(from: number, to: number): string {
    const { name } = this
    return name.length === to - from && this.#text.startsWith(name, from) ? name : this.#text.slice(from, to)
  }

  /** Gives the place of the `>` or `/` that ends the tag. */
  #readAttributes(from: number): number {
    this.#attributes.count = 0
    if (this.#text.charCodeAt(from) === greaterThan) return from
    const end = findAttributes(this.#text, from, this.#attributes)
    if (typeof end === 'string') throw this.wrong(end)
    if (this.#attributes.count > 0 && end < this.#text.length) this.#checkReferences(from, end)
    return end
  }

  #openElement(name: string): void {
    if (this.#open.length === 0 && this.#hadRoot) throw this.wrong('it has a second root')
    if (this.#open.length >= maxDepth) throw this.wrong(`its elements are nested more than ${maxDepth} deep`)
    this.#hadRoot = true
    this.#open.push(name)
    this.name = name
  }

  #endEmptyElement(): XmlToken {
    this.#isEmptyElement = false
    this.name = this.#open.pop() as string
    return this.#token('end', this.#at)
  }

  /** Goes to the end of a comment, processing instruction or DOCTYPE; gives a token for a CDATA section. */
  #passMarkup(code: number): XmlToken | undefined {
    const rest = this.#text.slice(this.#at, this.#at + 9)
    if (code === question) return this.#passUntil('?>', 2, (text) => checkDeclaration(text, this.#gone + this.#at))
    if (rest.startsWith('<!--')) return this.#passUntil('-->', 4, commentProblem)
    if (rest === '<![CDATA[') return this.#readCdata()
    if (rest === '<!DOCTYPE') return this.#passUntil('>', 9, (text) => this.#doctypeProblem(text))
    if (rest.length < 9) return this.#unfinished()
    throw this.wrong('it has a declaration that is not taken')
  }

  #passUntil(end: string, begin: number, problemOf: (markup: string) => string | undefined): XmlToken | undefined {
    const found = this.#text.indexOf(end, this.#at + begin)
    if (found === -1) return this.#unfinished()
    const problem = problemOf(this.#text.slice(this.#at, found + end.length))
    if (problem !== undefined) throw this.wrong(problem)
    this.#at = found + end.length
    return undefined
  }

  #doctypeProblem(text: string): string | undefined {
    return isDoctype(text) && !this.#hadRoot ? undefined : 'it has a DOCTYPE with more than a name'
  }

  #readCdata(): XmlToken {
    if (this.#open.length === 0) throw this.wrong('it has text outside of its root')
    const found = this.#text.indexOf(']]>', this.#at + 9)
    if (found === -1) return this.#unfinished()
    this.#isCdata = true
    return this.#token('text', found + 3)
  }
}

function placeOf(text: string, wanted: string, from: number): number {
  const place = text.indexOf(wanted, from)
  return place === -1 ? text.length : place
}

function commentProblem(comment: string): string | undefined {
  const text = comment.slice(4, -3)
  return text.includes('--') || text.endsWith('-') ? 'it has "--" in a comment' : undefined
}
