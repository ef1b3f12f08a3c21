import { SaxesParser } from 'saxes'

/** What an XML document means: without comments, indentation and the order of attributes. */
export interface XmlTree {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly (XmlTree | string)[]
}

interface OpenTree extends XmlTree {
  readonly children: (OpenTree | string)[]
}

/** Throws whatever is wrong with the document. */
export function parseXml(text: string): XmlTree {
  const root: OpenTree = { name: '', attributes: {}, children: [] }
  const open = [root]
  const parser = new SaxesParser()
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => {
    const tree: OpenTree = { name, attributes, children: [] }
    open.at(-1)?.children.push(tree)
    open.push(tree)
  })
  parser.on('text', (piece) => open.at(-1)?.children.push(piece))
  parser.on('closetag', () => {
    dropIndentation(open.pop() as OpenTree)
  })
  parser.write(text).close()
  return root.children.find((child) => typeof child !== 'string') as XmlTree
}

/** Blanks beside elements; the text of an element that holds nothing else is kept as it is. */
function dropIndentation(tree: OpenTree): void {
  if (tree.children.every((child) => typeof child === 'string')) return
  const kept = tree.children.filter((child) => typeof child !== 'string' || child.trim() !== '')
  tree.children.splice(0, tree.children.length, ...kept)
}
