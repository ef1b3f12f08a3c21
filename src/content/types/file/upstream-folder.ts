import { shownUrl } from '../../../platform/fetch/shown-url.ts'
import { checksumListName } from './checksum-list.ts'
import { manifestName } from './manifest-name.ts'

/** Where a file repository comes from: a folder, and the name of its list of files when the URL says which. */
export class UpstreamFolder {
  readonly #url: URL
  readonly namedList: string | undefined

  constructor(text: string) {
    this.#url = new URL(text)
    const { pathname } = this.#url
    this.namedList = [manifestName, checksumListName].find((name) => pathname.endsWith(`/${name}`))
    this.#url.pathname =
      this.namedList === undefined ? pathname.replace(/\/*$/, '/') : pathname.slice(0, -this.namedList.length)
  }

  /** For messages. */
  get shown(): string {
    return shownUrl(this.#url)
  }

  /** The address of a path below it; the folder's own for an empty path. */
  below(path: string): URL {
    const url = new URL(path.split('/').map(encodeURIComponent).join('/'), this.#url)
    // a query of the base is a token, which such upstreams want with every file
    url.search = this.#url.search
    return url
  }
}
