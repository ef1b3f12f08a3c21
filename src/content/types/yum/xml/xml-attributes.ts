import { maxAttributeChars, maxAttributes } from './xml-limits.ts'
import { canBeginName, endOfBlanks, endOfName } from './xml-names.ts'

/** Where the attributes of a tag are; `count` of each are meant. */
export interface AttributePlaces {
  count: number
  readonly nameFrom: number[]
  readonly nameTo: number[]
  readonly valueFrom: number[]
  readonly valueTo: number[]
}

const greaterThan = 62
const slash = 47

/**
 * Finds the attributes that begin at this place of a tag, and gives that of the `>` or `/` after them: the text's length
 * when it ends before; what is wrong with them, if anything is.
 */
export function findAttributes(text: string, from: number, places: AttributePlaces): number | string {
  let at: number | string = from
  while (typeof at === 'number') {
    const begin: number = endOfBlanks(text, at)
    const code = begin < text.length ? text.charCodeAt(begin) : greaterThan
    if (code === greaterThan || code === slash) return begin
    if (begin === at || !canBeginName(code)) return 'it has a tag with something that is no attribute'
    at = addAttribute(text, begin, places)
  }
  return at
}

/** Gives the place after the attribute. */
function addAttribute(text: string, from: number, places: AttributePlaces): number | string {
  if (places.count === maxAttributes) return `it has a tag with more than ${maxAttributes} attributes`
  const end = findAttribute(text, from, places)
  if (typeof end === 'string' || end === text.length) return end
  if (isTwice(text, places)) return 'it has a tag with an attribute twice'
  places.count += 1
  return end
}

/** Gives the place after the attribute. */
function findAttribute(text: string, from: number, places: AttributePlaces): number | string {
  const nameTo = endOfName(text, from)
  const equals = text[nameTo] === '=' ? nameTo : endOfBlanks(text, nameTo)
  if (equals >= text.length) return text.length
  if (text[equals] !== '=') return 'it has an attribute without value'
  const open = endOfBlanks(text, equals + 1)
  if (open >= text.length) return text.length
  const quote = text[open] as string
  if (quote !== '"' && quote !== "'") return 'it has an attribute without quotes'
  const close = text.indexOf(quote, open + 1)
  places.nameFrom[places.count] = from
  places.nameTo[places.count] = nameTo
  places.valueFrom[places.count] = open + 1
  places.valueTo[places.count] = close
  return endOfValue(text, open + 1, close)
}

function endOfValue(text: string, from: number, close: number): number | string {
  const end = close === -1 ? text.length : close
  if (end - from > maxAttributeChars) return `it has an attribute of more than ${maxAttributeChars} characters`
  if (close === -1) return end
  for (let at = from; at < close; at++) if (text.charCodeAt(at) === 60) return 'it has "<" in an attribute'
  return close + 1
}

function isTwice(text: string, { count, nameFrom, nameTo }: AttributePlaces): boolean {
  const from = nameFrom[count] as number
  const length = (nameTo[count] as number) - from
  const first = text.charCodeAt(from)
  for (let index = 0; index < count; index++) {
    const other = nameFrom[index] as number
    if ((nameTo[index] as number) - other !== length || text.charCodeAt(other) !== first) continue
    if (text.slice(other, other + length) === text.slice(from, from + length)) return true
  }
  return false
}
