import type { Changelog } from '../packages/package-details.ts'
import type { RpmHeader } from './rpm-header.ts'
import { mainTags } from './rpm-tags.ts'
import { unreadable } from './unreadable-rpm.ts'

/** As many as lists of packages usually give. */
const keptChangelogs = 10

/** Whoever reads the list takes attributes of 64 kB, where each character may be escaped. */
const maxAuthorLength = 10_000

/** Of one entry: more than any has. */
const maxTextLength = 1024 * 1024

/** The newest changelogs of a package, oldest first. Of several of one time each is a second after the one before. */
export function listChangelogs(header: RpmHeader): readonly Changelog[] {
  const times = header.listNumbers(mainTags.changelogTime)
  const authors = header.listTexts(mainTags.changelogName)
  const texts = header.listTexts(mainTags.changelogText)
  if (authors.length !== times.length || texts.length !== times.length) {
    throw unreadable(`${times.length} changelogs, but ${authors.length} authors and ${texts.length} texts`)
  }
  const newest = times.slice(0, keptChangelogs).map((time, at) => ({
    author: withoutTrailingBlanks(authors[at] as string),
    time,
    text: checkedText(texts[at] as string),
  }))
  return apart(newest.reverse())
}

function checkedText(text: string): string {
  if (text.length > maxTextLength) throw unreadable(`a changelog of ${text.length} characters`)
  return text
}

/** At least one character is kept. */
function withoutTrailingBlanks(author: string): string {
  if (author.length > maxAuthorLength) throw unreadable(`an author of ${author.length} characters`)
  let end = author.length
  while (end > 1 && author[end - 1] === ' ') end -= 1
  return author.slice(0, end)
}

/** Moves what has the time of its predecessor behind it, since readers sort entries by their times. */
function apart(oldestFirst: readonly Changelog[]): readonly Changelog[] {
  let before = { said: Number.NaN, given: Number.NaN }
  return oldestFirst.map((changelog) => {
    const said = changelog.time
    const given = said >= before.said && said <= before.given ? before.given + 1 : said
    before = { said, given }
    return { ...changelog, time: given }
  })
}
