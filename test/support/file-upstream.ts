import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { startUpstream, type UpstreamServer } from './upstream-server.ts'

type Files = Readonly<Record<string, Uint8Array | string>>

/** An upstream of file repositories: folders of files with their manifests. Files can be kept back, and requests are counted. */
export class FileUpstream implements AsyncDisposable {
  readonly #folders: Map<string, Files>
  readonly #server: UpstreamServer
  readonly #gate: Gate

  private constructor(folders: Map<string, Files>, server: UpstreamServer, gate: Gate) {
    this.#folders = folders
    this.#server = server
    this.#gate = gate
  }

  static async start(): Promise<FileUpstream> {
    const folders = new Map<string, Files>()
    const gate: Gate = { isClosed: false, held: [] }
    const server = await startUpstream(({ url = '' }, response) => answer(url, response, { folders, gate }))
    return new FileUpstream(folders, server, gate)
  }

  /** Sets what a folder has, and gives its URL. */
  publish(folder: string, files: Files): string {
    this.#folders.set(folder, files)
    return `${this.#server.url}/${folder}/`
  }

  /** The GET requests for paths that begin like this, in order. */
  requests(start: string): string[] {
    return this.#server.requests.flatMap(({ method, url = '' }) =>
      method === 'GET' && url.startsWith(`/${start}`) ? [url] : [],
    )
  }

  /** Keeps files, not manifests, back from now on. */
  hold(): void {
    this.#gate.isClosed = true
  }

  /** How many requests wait for what is kept back. */
  get heldCount(): number {
    return this.#gate.held.filter(({ response }) => !response.destroyed).length
  }

  release(): void {
    this.#gate.isClosed = false
    for (const { give } of this.#gate.held.splice(0)) give()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]()
  }
}

interface Gate {
  isClosed: boolean
  readonly held: { readonly response: ServerResponse; readonly give: () => void }[]
}

function answer(
  url: string,
  response: ServerResponse,
  { folders, gate }: { readonly folders: ReadonlyMap<string, Files>; readonly gate: Gate },
): void {
  const [, folder = '', name = ''] = /^\/([^/]*)\/(.*)$/.exec(url) ?? []
  const files = folders.get(folder) ?? {}
  const bytes = name === 'PULP_MANIFEST' ? manifestOf(files) : files[name]
  if (bytes === undefined) response.writeHead(404).end()
  else if (gate.isClosed && name !== 'PULP_MANIFEST') gate.held.push({ response, give: () => response.end(bytes) })
  else response.end(bytes)
}

function manifestOf(files: Files): string {
  return Object.entries(files)
    .map(([name, content]) => {
      const bytes = Buffer.from(content as string)
      return `${name},${createHash('sha256').update(bytes).digest('hex')},${bytes.length}\n`
    })
    .join('')
}
