import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
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

/** Every error of a listener, thrown by us or by the framework, is answered here in the form of its path. */
export function answerErrors(app: FastifyInstance, logger: Logger): void {
  app.decorateRequest('parsedBody', undefined)
  app.setErrorHandler((thrown: FastifyError, request, reply) =>
    sendError(fromFramework(thrown), request, reply, logger),
  )
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0]
    return sendError(new AppError('not_found', `Cannot find ${path}: there is no such address`), request, reply, logger)
  })
}

// biome-ignore lint/complexity/useMaxParams: the framework's pair of request and reply, with what is said about them
function sendError(error: AppError, request: FastifyRequest, reply: FastifyReply, logger: Logger): FastifyReply {
  const family = familyOf(request.url)
  const status = errorStatus(family, error)
  if (error.code === 'internal') {
    logger.error({ requestId: request.id, method: request.method, err: error.cause ?? error }, 'a request failed')
  }
  if (error.code === 'unauthenticated') reply.header('www-authenticate', 'Basic realm="Backhaul", charset="UTF-8"')
  const { url: route = request.url } = request.routeOptions
  const body = errorBody(family, error, {
    status,
    method: request.method,
    route: braces(route),
    body: request.parsedBody,
  })
  // a handler may have announced another type before it failed
  return reply.code(status).header('content-type', 'application/json; charset=utf-8').send(JSON.stringify(body))
}

/** Fastify's own refusals, said in our words. */
function fromFramework(thrown: FastifyError): AppError {
  if (thrown instanceof AppError) return thrown
  switch (thrown.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new AppError('too_large', 'Cannot read the body: it is larger than this address takes', { cause: thrown })
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new AppError('malformed', `Cannot read the request: ${thrown.message}`, { cause: thrown })
    default:
      return asAppError(thrown)
  }
}

function braces(route: string): string {
  return route.replaceAll(/:(\w+)/g, '{$1}')
}
