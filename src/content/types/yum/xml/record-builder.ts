import type { RecordOptions } from './read-records.ts'
import type { XmlElement, XmlRecord, XmlRecords } from './xml-element.ts'
import { maxElements, maxRecordChars, maxTextChars } from './xml-limits.ts'
import { XmlScanner, type XmlToken } from './xml-scanner.ts'

/** An element whose end has not come yet. */
interface OpenElement {
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
  readonly children: XmlElement[]
  text: string
  readonly from: number
}

const noAttributes: ReadonlyMap<string, string> = new Map()

/** Makes the children of a root of text that arrives in pieces. */
export class RecordBuilder {
  readonly #options: RecordOptions
  readonly #scanner: XmlScanner
  #root: XmlRecords['root'] | undefined
  #isRootNew = false
  #records: XmlRecord[] = []
  /** The elements that are open and wanted, the record first. */
  #open: OpenElement[] = []
  #recordFrom = 0
  #innerFrom = 0
  #elements = 0

  constructor(options: RecordOptions) {
    this.#options = options
    this.#scanner = new XmlScanner(options.document)
  }

  add(text: string): void {
    this.#scanner.add(text)
    this.#run()
    if (this.#open.length > 0) this.#checkSize(this.#scanner.to)
  }

  finish(): void {
    this.#scanner.finish()
    this.#run()
  }

  /** What is complete since the last time; undefined when that is nothing. */
  take(): XmlRecords | undefined {
    if (this.#root === undefined || (this.#records.length === 0 && !this.#isRootNew)) return undefined
    const records = this.#records
    this.#records = []
    this.#isRootNew = false
    return { root: this.#root, records }
  }

  #run(): void {
    for (;;) {
      const token: XmlToken = this.#scanner.next()
      if (token === 'more' || token === 'finished') return
      if (token === 'start') this.#start()
      else if (token === 'end') this.#end()
      else if (this.#open.length > 0) this.#addText()
    }
  }

  #start(): void {
    const scanner = this.#scanner
    const level = scanner.depth - 2
    if (level === -1) this.#startRoot()
    if (level < 0 || level > this.#options.levels) return
    if (level === 0) this.#startRecord()
    if (++this.#elements > maxElements)
      throw scanner.wrong(`<${this.#open[0]?.name}> has more than ${maxElements} elements`)
    const attributes = scanner.hasAttributes ? scanner.attributes() : noAttributes
    const from = scanner.from - this.#recordFrom
    this.#open.push({ name: scanner.name, attributes, children: [], text: '', from })
  }

  #startRoot(): void {
    const { name } = this.#scanner
    if (name !== this.#options.root) throw this.#scanner.wrong(`its root is <${name}>, not <${this.#options.root}>`)
    this.#root = { name, attributes: this.#scanner.attributes() }
    this.#isRootNew = true
  }

  #startRecord(): void {
    this.#recordFrom = this.#scanner.from
    this.#innerFrom = this.#scanner.to
    this.#elements = 0
    this.#scanner.keepFrom(this.#recordFrom)
  }

  #end(): void {
    const level = this.#scanner.depth - 1
    if (level < 0 || level > this.#options.levels) return
    const { name, attributes, children, text, from } = this.#open.pop() as OpenElement
    const isLeaf = children.length === 0
    const to = this.#scanner.to - this.#recordFrom
    const element: XmlElement = { name, attributes, children, text: isLeaf ? text : '', from, to }
    const parent = this.#open.at(-1)
    if (parent === undefined) this.#endRecord(element)
    else parent.children.push(element)
  }

  #endRecord(element: XmlElement): void {
    this.#checkSize(this.#scanner.to)
    const source = this.#scanner.takeKept(this.#scanner.to)
    const innerFrom = this.#innerFrom - this.#recordFrom
    const innerTo = this.#scanner.from - this.#recordFrom
    this.#records.push({ ...element, source, innerFrom, innerTo })
  }

  #addText(): void {
    const element = this.#options.levels === 0 ? undefined : this.#open[this.#scanner.depth - 2]
    if (element === undefined || element.children.length > 0) return
    if (element.text === '' && this.#scanner.isBlank) return
    element.text += this.#scanner.text()
    if (element.text.length > maxTextChars)
      throw this.#scanner.wrong(`<${element.name}> has more than ${maxTextChars} characters of text`)
  }

  #checkSize(to: number): void {
    if (to - this.#recordFrom > maxRecordChars)
      throw this.#scanner.wrong(`<${this.#open[0]?.name}> has more than ${maxRecordChars} characters`)
  }
}
