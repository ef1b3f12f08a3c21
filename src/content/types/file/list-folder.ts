import { TextDecoder } from 'node:util'
import { AppError } from '../../../platform/errors.ts'
import { fetchBytes } from '../../../platform/fetch/fetch-bytes.ts'
import { FetchError } from '../../../platform/fetch/fetch-error.ts'
import { forAll } from '../../../platform/fetch/for-all.ts'
import type { DiscoverContext } from '../../content-type.ts'
import { checkFilePath } from './file-path.ts'
import { parseListingPage } from './listing-page.ts'
import type { UpstreamFolder } from './upstream-folder.ts'

const maxFiles = 100_000
const maxFolders = 10_000
const maxDepth = 50
const maxPageBytes = 32 * 1024 * 1024

/**
 * Gives the paths of all files below a folder, sorted, by the HTML pages of it and its subfolders.
 *
 * @throws AppError `upstream` that names the page or the path that is wrong, or says what there is too much of
 */
export async function listFolder(context: DiscoverContext, folder: UpstreamFolder): Promise<string[]> {
  return new FolderWalk(context, folder).run()
}

class FolderWalk {
  readonly #context: DiscoverContext
  readonly #folder: UpstreamFolder
  readonly #files = new Set<string>()
  readonly #folders = new Set<string>([''])

  constructor(context: DiscoverContext, folder: UpstreamFolder) {
    this.#context = context
    this.#folder = folder
  }

  async run(): Promise<string[]> {
    let level = ['']
    for (let depth = 0; level.length > 0; depth += 1) {
      if (depth > maxDepth) throw this.#tooMuch(`folders inside each other, such as ${level[0]}`, maxDepth)
      level = await this.#readLevel(level)
    }
    return [...this.#files].sort()
  }

  async #readLevel(level: readonly string[]): Promise<string[]> {
    const next: string[] = []
    await forAll(level, this.#context, async (path) => {
      const page = await this.#readPage(path)
      for (const file of page.files) this.#addFile(checkFilePath(path + file, this.#folder.shown))
      for (const name of page.folders) {
        const inner = `${checkFilePath((path + name).slice(0, -1), this.#folder.shown)}/`
        if (this.#addFolder(inner)) next.push(inner)
      }
    })
    return next
  }

  #addFile(path: string): void {
    if (this.#files.size >= maxFiles) throw this.#tooMuch('files', maxFiles)
    this.#files.add(path)
  }

  #addFolder(path: string): boolean {
    if (this.#folders.has(path)) return false
    if (this.#folders.size >= maxFolders) throw this.#tooMuch('folders', maxFolders)
    this.#folders.add(path)
    return true
  }

  async #readPage(path: string) {
    const { fetcher, upstream, signal } = this.#context
    const options = { upstream, signal, maxBytes: maxPageBytes }
    const { bytes, headers, url } = await fetchBytes(fetcher, this.#folder.below(path), options).catch((error) => {
      throw path === '' && isMissing(error) ? this.#nothingFound(error) : error
    })
    const type = headers.get('content-type') ?? 'nothing'
    if (!/^text\/html\b/i.test(type)) {
      const problem = new AppError(
        'upstream',
        `Cannot read ${url}: it is ${type.slice(0, 100)} and no listing (text/html)`,
      )
      throw path === '' ? this.#nothingFound(problem) : problem
    }
    return parseListingPage(decode(bytes, url), new URL(url))
  }

  #nothingFound(cause: Error): AppError {
    const message = `Cannot find files at ${this.#folder.shown}: there is neither PULP_MANIFEST nor SHA256SUMS nor a listing`
    return new AppError('upstream', message, { cause })
  }

  #tooMuch(what: string, count: number): AppError {
    return new AppError('upstream', `Cannot list ${this.#folder.shown}: it has more than ${count} ${what}`)
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof FetchError && error.status === 404
}

function decode(bytes: Uint8Array, url: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new AppError('upstream', `Cannot read ${url}: it is not UTF-8`, { cause: error })
  }
}
