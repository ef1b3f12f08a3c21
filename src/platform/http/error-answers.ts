import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { clashOf, lossOf } from '../db/database-error.ts'
import { AppError, asAppError } from '../errors.ts'
import type { Logger } from '../log.ts'
import { errorBody } from './error-body.ts'
import { errorStatus } from './error-status.ts'
import { familyOf } from './family.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The parsed body, for the one renderer that shows it; set as soon as it could be parsed. */
    parsedBody: unknown
  }
}

/** `by path`: each path's own JSON; `text` is for the clients of packages, which show it to people. */
export type ErrorForm = 'by path' | 'text'

export type SendError = (thrown: FastifyError, request: FastifyRequest, reply: FastifyReply) => FastifyReply

/** Every error of a listener, thrown by us or by the framework, is answered by the function that this gives. */
export function errorSender(form: ErrorForm, logger: Logger): SendError {
  return (thrown, request, reply) => {
    const error = fromFramework(thrown)
    if (error.code === 'internal') {
      logger.error({ requestId: request.id, method: request.method, err: error.cause ?? error }, 'a request failed')
    }
    if (error.code === 'unauthenticated') reply.header('www-authenticate', 'Basic realm="Backhaul", charset="UTF-8"')
    // a handler may have announced something else before it failed
    for (const name of announcements) reply.removeHeader(name)
    return form === 'text' ? sendText(error, reply) : sendJson(error, request, reply)
  }
}

/** Headers that would be about the answer that was meant. */
const announcements = ['etag', 'last-modified', 'content-length', 'content-range', 'accept-ranges']

export function answerErrors(app: FastifyInstance, send: SendError): void {
  app.decorateRequest('parsedBody', undefined)
  app.setErrorHandler(send)
  app.setNotFoundHandler((request) => {
    throw new AppError('not_found', `Cannot find ${pathOf(request.url)}: there is no such address`)
  })
}

function sendText(error: AppError, reply: FastifyReply): FastifyReply {
  const status = errorStatus('plain', error)
  return reply.code(status).header('content-type', 'text/plain; charset=utf-8').send(`${error.message}\n`)
}

function sendJson(error: AppError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const family = familyOf(request.url)
  const status = errorStatus(family, error)
  const body = errorBody(family, error, {
    status,
    method: request.method,
    route: braces(request.routeOptions.url ?? pathOf(request.url)),
    body: request.parsedBody,
  })
  return reply.code(status).header('content-type', 'application/json; charset=utf-8').send(JSON.stringify(body))
}

/** Without the query string, where tokens may be. */
function pathOf(url: string): string {
  return url.split('?', 1)[0] as string
}

/** Fastify's own refusals, said in our words. */
function fromFramework(thrown: FastifyError): AppError {
  if (thrown instanceof AppError) return thrown
  switch (thrown.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new AppError('too_large', 'Cannot read the body: it is larger than this address takes', { cause: thrown })
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new AppError('unsupported_media_type', 'Cannot read the body: its Content-Type is none', { cause: thrown })
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new AppError('not_found', 'Cannot find this: the path is longer than any address', { cause: thrown })
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
    case 'FST_ERR_BAD_URL':
      return new AppError('malformed', `Cannot read the request: ${thrown.message}`, { cause: thrown })
    default:
      return clashOf(thrown) ?? lossOf(thrown) ?? asAppError(thrown)
  }
}

function braces(route: string): string {
  return route.replace(/\*$/, '{path}').replaceAll(/:(\w+)/g, '{$1}')
}
