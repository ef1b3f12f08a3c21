/** An element with what is of interest in it. */
export interface XmlElement {
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
  /** None where nobody wanted to look that deep. */
  readonly children: readonly XmlElement[]
  /** Of an element without child elements, without blanks at its beginning; else empty. */
  readonly text: string
  /** Where it lies in the source of its record. */
  readonly from: number
  readonly to: number
}

/** A child of the root. */
export interface XmlRecord extends XmlElement {
  /** As it is written, its own tags included. */
  readonly source: string
  /** Where what is between its tags lies in the source; both are the same for an empty element. */
  readonly innerFrom: number
  readonly innerTo: number
}

/** The children of a root that came together. */
export interface XmlRecords {
  /** The root itself, without its children. */
  readonly root: Pick<XmlElement, 'name' | 'attributes'>
  readonly records: readonly XmlRecord[]
}

export function childrenOf(element: XmlElement, name: string): readonly XmlElement[] {
  return element.children.filter((child) => child.name === name)
}

export function childOf(element: XmlElement, name: string): XmlElement | undefined {
  return element.children.find((child) => child.name === name)
}

/** The text of the first child of that name, without blanks around it. */
export function textOf(element: XmlElement, name: string): string | undefined {
  return childOf(element, name)?.text.trim()
}

/** A copy that does not keep alive the long text that it was cut from. */
export function detached(text: string): string {
  return text.length < 13 ? text : Buffer.from(text).toString()
}
