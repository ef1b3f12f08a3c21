import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../errors.ts'

/** Lets the routes that `add` adds have the bodies of requests as they come, where others get them whole. */
export function addStreaming(app: FastifyInstance, add: (app: FastifyInstance) => void): void {
  app.register(async (streaming) => {
    streaming.removeAllContentTypeParsers()
    streaming.addContentTypeParser('*', (_request, body, done) => done(null, body))
    add(streaming)
  })
}

/**
 * The bytes of a request's body as they come. The connection stays usable when not all are taken.
 *
 * @throws AppError `too_large` beyond the limit, `cancelled` when the caller goes away
 */
export async function* uploadOf(request: FastifyRequest, limitBytes: number): AsyncGenerator<Uint8Array> {
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes)
  if (!(request.body instanceof Readable)) return
  let sizeBytes = 0
  for await (const piece of pieces(request.body)) {
    sizeBytes += piece.length
    if (sizeBytes > limitBytes) throw tooLarge(limitBytes)
    yield piece
  }
}

async function* pieces(body: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* body.iterator({ destroyOnReturn: false })
  } catch (error) {
    throw new AppError('cancelled', 'The caller went away before all bytes had come', { cause: error })
  }
}

function tooLarge(limitBytes: number): AppError {
  return new AppError('too_large', `Cannot read the body: it is larger than ${limitBytes} bytes`)
}
