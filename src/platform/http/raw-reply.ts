import type { Readable } from 'node:stream'

/** An answer that is not JSON: a handler gives it back and the server sends it as it is. */
export class RawReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | number>>
  readonly body: Readable | Buffer | string | undefined

  constructor(options: {
    readonly status: number
    readonly headers: Readonly<Record<string, string | number>>
    readonly body?: Readable | Buffer | string | undefined
  }) {
    this.status = options.status
    this.headers = options.headers
    this.body = options.body
  }
}

export function textReply(text: string, contentType = 'text/plain; charset=utf-8'): RawReply {
  return new RawReply({ status: 200, headers: { 'content-type': contentType }, body: text })
}
