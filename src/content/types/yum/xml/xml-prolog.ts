const declaration =
  /^<\?xml\s+version\s*=\s*(?:"1\.[0-9]"|'1\.[0-9]')(?:\s+encoding\s*=\s*(?:"([\w.-]+)"|'([\w.-]+)'))?(?:\s+standalone\s*=\s*(?:"(?:yes|no)"|'(?:yes|no)'))?\s*\?>$/

const doctype =
  /^<!DOCTYPE\s+[A-Za-z_][\w.:-]*(?:\s+(?:SYSTEM|PUBLIC\s+(?:"[^"<>&]*"|'[^'<>&]*'))(?:\s+(?:"[^"<>&]*"|'[^'<>&]*')))?\s*>$/

/** UTF-8, and what is the same in it. */
const encodings = new Set(['utf-8', 'utf8', 'us-ascii', 'ascii'])

/** What is wrong with a processing instruction at this place of a document, if anything is. */
export function checkDeclaration(text: string, place: number): string | undefined {
  if (!/^<\?xml(?=[\s?])/i.test(text))
    return /^<\?[A-Za-z_]/.test(text) ? undefined : 'it has a "<?" that begins nothing'
  const [all, double, single] = place === 0 ? (declaration.exec(text) ?? []) : []
  if (all === undefined) return 'its declaration is none of XML 1'
  const encoding = double ?? single ?? 'utf-8'
  return encodings.has(encoding.toLowerCase()) ? undefined : `it says that it is ${encoding}, not UTF-8`
}

/** Whether this is a DOCTYPE that only names its DTD. */
export function isDoctype(text: string): boolean {
  return doctype.test(text)
}
