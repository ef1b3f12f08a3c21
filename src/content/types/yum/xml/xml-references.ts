const reference = /&(?:amp|lt|gt|quot|apos|#(\d{1,7})|#x([0-9a-fA-F]{1,6}));/y

const meanings: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
}

/** The longest text that can be a reference. */
export const maxReferenceChars = 12

/** Whether one of the five named references, or one to a character that XML 1.0 allows, begins at this place. */
export function hasReference(text: string, at: number): boolean {
  reference.lastIndex = at
  const [, decimal, hex] = reference.exec(text) ?? [undefined]
  if (decimal === undefined && hex === undefined) return reference.lastIndex > at
  return isCharacter(decimal === undefined ? Number.parseInt(hex as string, 16) : Number(decimal))
}

function isCharacter(code: number): boolean {
  if (code < 32) return code === 9 || code === 10 || code === 13
  return code < 0xd800 || (code > 0xdfff && code < 0xfffe) || (code > 0xffff && code <= 0x10ffff)
}

/** What checked text means. */
export function decodeText(raw: string): string {
  const text = raw.includes('\r') ? raw.replace(/\r\n?/g, '\n') : raw
  return text.includes('&') ? text.replace(/&[^;]+;/g, meaningOf) : text
}

/** What the checked value of an attribute means. */
export function decodeAttribute(raw: string): string {
  const text = /[\t\r\n]/.test(raw) ? raw.replace(/\r\n|[\t\r\n]/g, ' ') : raw
  return text.includes('&') ? text.replace(/&[^;]+;/g, meaningOf) : text
}

function meaningOf(written: string): string {
  const named = meanings[written]
  if (named !== undefined) return named
  const isHex = written[2] === 'x'
  return String.fromCodePoint(Number.parseInt(written.slice(isHex ? 3 : 2, -1), isHex ? 16 : 10))
}
