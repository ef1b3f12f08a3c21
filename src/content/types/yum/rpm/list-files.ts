import type { PackageFile } from '../packages/package-details.ts'
import type { RpmHeader } from './rpm-header.ts'
import { mainTags } from './rpm-tags.ts'
import { unreadable } from './unreadable-rpm.ts'

/** As of any file on Linux. */
const maxPathLength = 4096

/** Of all paths together. They are stored as folders and names, so few bytes could stand for endless text. */
const maxPathsLength = 64 * 1024 * 1024

const kindOfFile = 0o170000
const directory = 0o040000
const ghost = 64

/** The files of a package, in its own order. */
export function listFiles(header: RpmHeader): readonly PackageFile[] {
  const paths = listPaths(header)
  checkLengths(paths)
  const modes = header.listNumbers(mainTags.fileModes)
  const flags = header.listNumbers(mainTags.fileFlags)
  for (const { length } of [modes, flags]) {
    if (length !== 0 && length !== paths.length) throw unreadable(`${paths.length} files, but ${length} modes or flags`)
  }
  return paths.map((path, at) => ({ path, type: typeOf(modes[at] ?? 0, flags[at] ?? 0) }))
}

function checkLengths(paths: readonly string[]): void {
  let total = 0
  for (const { length } of paths) {
    if (length > maxPathLength) throw unreadable(`a path of ${length} characters`)
    total += length
  }
  if (total > maxPathsLength) throw unreadable(`paths of ${total} characters`)
}

function typeOf(mode: number, flags: number): PackageFile['type'] {
  if ((mode & kindOfFile) === directory) return 'dir'
  return (flags & ghost) === 0 ? 'file' : 'ghost'
}

/** Old packages have whole paths, others folders and what is in them. */
function listPaths(header: RpmHeader): readonly string[] {
  if (!header.has(mainTags.baseNames)) return header.listTexts(mainTags.oldFileNames)
  const folders = header.listTexts(mainTags.dirNames)
  const names = header.listTexts(mainTags.baseNames)
  const indexes = header.listNumbers(mainTags.dirIndexes)
  if (indexes.length !== names.length) throw unreadable(`${names.length} files, but ${indexes.length} folders of them`)
  return names.map((name, at) => {
    const folder = folders[indexes[at] as number]
    if (folder === undefined) throw unreadable(`a file in folder ${indexes[at]} of ${folders.length}`)
    return folder + name
  })
}
