/** What may stand before the element: an XML declaration, a document type without entities of its own, comments. */
const prologue =
  /^\s*(?:<\?xml[^>]{0,500}\?>\s*|<!DOCTYPE[^>[]{0,1000}>\s*|<!--(?:(?!--)[\s\S]){0,10000}-->\s*){0,100}$/
const opening = /<svg(?=[\s/>])/
const closing = /<\/svg\s*>\s*$|\/>\s*$/

/** Whether a text is that of one `<svg>` element. What is inside is for who draws it. */
export function isSvgText(text: string): boolean {
  const start = text.search(opening)
  return start >= 0 && start < 100_000 && prologue.test(text.slice(0, start)) && closing.test(text.slice(-1000))
}
