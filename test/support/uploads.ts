import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { fetchPublished } from './content.ts'
import type { ReachableServer } from './test-server.ts'

export const repositories = '/content/api/repositories'

export const multipart = { 'content-type': 'multipart/form-data; boundary=xyz' }

export const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** A part for each value, with a filename when it has one. */
export function form(
  parts: readonly (readonly [name: string, value: string | Uint8Array, filename?: string])[],
): Buffer {
  const bytes = parts.flatMap(([name, value, filename]) => [
    Buffer.from(`--xyz\r\nContent-Disposition: form-data; name="${name}"`),
    Buffer.from(filename === undefined ? '' : `; filename="${filename}"`),
    Buffer.from('\r\n\r\n'),
    Buffer.from(value as Uint8Array),
    Buffer.from('\r\n'),
  ])
  return Buffer.concat([...bytes, Buffer.from('--xyz--\r\n')])
}

/** The bytes that clients are served, or the status that they get instead. */
export async function served(server: ReachableServer, repository: object, name: string): Promise<Buffer | number> {
  const answer = await fetchPublished(server, repository, name.split('/').map(encodeURIComponent).join('/'))
  return answer.status === 200 ? Buffer.from(await answer.arrayBuffer()) : answer.status
}

/** Chunked uploads as clients send them. */
export class ChunkedUploads {
  readonly #server: ReachableServer

  constructor(server: ReachableServer) {
    this.#server = server
  }

  async begin(id: number, size: number): Promise<string> {
    const path = `${repositories}/${id}/content_uploads`
    const { status, body } = await this.#server.ask(path, { method: 'POST', body: { size } })
    assert.equal(status, 200, JSON.stringify(body))
    return body.upload_id
  }

  async send(id: number, upload: string, offset: number, bytes: Uint8Array): Promise<number> {
    const path = `${repositories}/${id}/content_uploads/${upload}`
    const body = form([
      ['offset', String(offset)],
      ['content', bytes],
      ['size', '1'],
    ])
    return (await this.#server.ask(path, { method: 'PUT', body, headers: multipart })).status
  }

  import(id: number, uploads: readonly object[], more: object = {}) {
    return this.#server.ask(`${repositories}/${id}/import_uploads`, { method: 'PUT', body: { uploads, ...more } })
  }
}
