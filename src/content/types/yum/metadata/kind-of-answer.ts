import { isUrl } from './read-mirrorlist.ts'

/** What the address of a repository can give instead of a repository. */
export type AnswerKind = 'repomd' | 'metalink' | 'mirrorlist' | 'something else'

/** Tells by the beginning of a text what it is; a kilobyte is enough. */
export function kindOfAnswer(text: string): AnswerKind {
  const [, root] =
    /^\uFEFF?\s*(?:<\?[^>]*\?>\s*|<!--(?:(?!-->)[\s\S])*-->\s*)*<([A-Za-z][\w:.-]*)/.exec(text.slice(0, 4096)) ?? []
  if (root === 'repomd' || root === 'metalink') return root
  if (root !== undefined) return 'something else'
  const lines = text.split('\n').map((line) => line.trim())
  const first = lines.find((line) => line !== '' && !line.startsWith('#'))
  return first !== undefined && isUrl(first) ? 'mirrorlist' : 'something else'
}
