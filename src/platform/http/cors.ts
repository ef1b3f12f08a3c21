import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

const allowedMethods = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'
const defaultHeaders = 'Authorization, Content-Type, Accept'

/** Lets pages of the given origins call the API (Fetch standard, section 3.2); preflights of others are 403. */
export function addCors(app: FastifyInstance, origins: readonly string[]): void {
  app.addHook('onRequest', async (request, reply) => {
    if (origins.length > 0) reply.header('vary', 'Origin')
    const { origin = '' } = request.headers
    const isAllowed = isAmong(origins, origin)
    if (isAllowed) allowOrigin(reply, origin)
    if (isPreflight(request)) return isAllowed ? answerPreflight(request, reply) : reply.code(403).send()
  })
}

function isAmong(origins: readonly string[], origin: string): boolean {
  return origin !== '' && (origins.includes('*') || origins.includes(origin))
}

function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined
}

function allowOrigin(reply: FastifyReply, origin: string): void {
  reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', 'X-Request-Id')
}

function answerPreflight({ headers }: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply
    .header('access-control-allow-methods', allowedMethods)
    .header('access-control-allow-headers', headers['access-control-request-headers'] ?? defaultHeaders)
    .header('access-control-max-age', '600')
    .code(204)
    .send()
}
