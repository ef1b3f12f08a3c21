import { AppError } from '../../../platform/errors.ts'

/** What a page of a directory listing leads to, with paths relative to its folder. */
export interface ListingPage {
  readonly files: readonly string[]
  /** Ending in a slash. */
  readonly folders: readonly string[]
}

/**
 * Reads the links of a folder's page, as Apache and nginx write them. Links that leave the folder, that sort it (`?`) or
 * that lead into a page (`#`) are passed over.
 *
 * @throws AppError `upstream` that names the link whose path cannot be decoded, or the page when it is no listing
 */
export function parseListingPage(html: string, page: URL): ListingPage {
  const folder = new URL('.', page)
  const files = new Set<string>()
  const folders = new Set<string>()
  for (const link of linksOf(html)) {
    const path = pathBelow(folder, link, page)
    if (path === undefined) continue
    const names = path.endsWith('/') ? folders : files
    names.add(path)
  }
  if (files.size + folders.size === 0 && !/<title>\s*(?:index of|directory listing)/i.test(html))
    throw new AppError('upstream', `Cannot read ${page.href}: it is no listing of a folder`)
  return { files: [...files], folders: [...folders] }
}

function pathBelow(folder: URL, link: string, page: URL): string | undefined {
  const url = URL.parse(link, page.href)
  if (url === null || url.origin !== folder.origin || url.search !== '' || /[?#]/.test(link)) return undefined
  if (!url.pathname.startsWith(folder.pathname) || url.pathname === folder.pathname) return undefined
  return url.pathname
    .slice(folder.pathname.length)
    .split('/')
    .map((part) => decodePart(part, link, page))
    .join('/')
}

function decodePart(part: string, link: string, page: URL): string {
  const wrong = (problem: string, cause?: unknown) =>
    new AppError(
      'upstream',
      `Cannot take the link ${JSON.stringify(link.slice(0, 200))} of ${page.href}: it ${problem}`,
      {
        cause,
      },
    )
  try {
    const name = decodeURIComponent(part)
    if (!name.includes('/')) return name
  } catch (error) {
    throw wrong('is not UTF-8', error)
  }
  throw wrong('holds an encoded slash')
}

const interesting = /<!--|<(?:a|script|style)(?=[\s/>])/gi
const attribute = /[\s/]*([^\s=>/"']+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+)))?/y

/** The targets of all `a` elements, in time that grows with the page and no faster. */
function* linksOf(html: string): Generator<string> {
  const opening = new RegExp(interesting)
  for (let match = opening.exec(html); match !== null; match = opening.exec(html)) {
    const tag = match[0].toLowerCase()
    if (tag === '<a') {
      const { href, end } = readAttributes(html, opening.lastIndex)
      if (href !== undefined) yield decodeEntities(href).trim()
      opening.lastIndex = end
    } else {
      const end = endOf(html, tag, opening.lastIndex)
      if (end === undefined) return
      opening.lastIndex = end
    }
  }
}

/** Nothing inside a comment, a script or a style is a link; undefined when it never ends. */
function endOf(html: string, tag: string, from: number): number | undefined {
  const closing = new RegExp(tag === '<!--' ? '-->' : `</${tag.slice(1)}`, 'gi')
  closing.lastIndex = from
  return closing.exec(html) === null ? undefined : closing.lastIndex
}

function readAttributes(html: string, from: number): { readonly href?: string; readonly end: number } {
  const next = new RegExp(attribute)
  let href: string | undefined
  let end = from
  next.lastIndex = from
  for (let match = next.exec(html); match !== null; match = next.exec(html)) {
    const [, name = '', ...values] = match
    if (name.toLowerCase() === 'href') href ??= values.find((value) => value !== undefined)
    end = next.lastIndex
  }
  return { ...(href === undefined ? {} : { href }), end }
}

const namedEntities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function decodeEntities(text: string): string {
  return text.replace(/&(#\d{1,7}|#x[0-9a-f]{1,6}|amp|lt|gt|quot|apos);/gi, (entity, name: string) => {
    const known = namedEntities[name.toLowerCase()]
    if (known !== undefined) return known
    const code = Number(/^#x/i.test(name) ? `0${name.slice(1)}` : name.slice(1))
    return code <= 0x10_ff_ff ? String.fromCodePoint(code) : entity
  })
}
