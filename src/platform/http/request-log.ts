import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Histogram, type Registry } from 'prom-client'
import type { Logger } from '../log.ts'

export interface HttpMetrics {
  readonly requestSeconds: Histogram
}

export function createHttpMetrics(registry: Registry): HttpMetrics {
  return {
    requestSeconds: new Histogram({
      name: 'backhaul_http_request_duration_seconds',
      help: 'Time from the first byte of a request to the last of its answer',
      labelNames: ['listener', 'method', 'route', 'status'],
      buckets: [0.005, 0.025, 0.1, 0.5, 2.5, 10],
      registers: [registry],
    }),
  }
}

interface LogOptions {
  readonly name: string
  readonly logger: Logger
  readonly metrics: HttpMetrics
}

/** One line per request with its id, which the caller also gets as `X-Request-Id`; headers and bodies are never logged. */
export function addRequestLog(app: FastifyInstance, { name, logger, metrics }: LogOptions): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
  })
  app.addHook('onResponse', async (request, reply) => {
    const { method, status, route, durationMs } = describe(request, reply)
    metrics.requestSeconds.observe({ listener: name, method, route, status }, durationMs / 1000)
    logger.info({ requestId: request.id, listener: name, method, path: pathOf(request), status, durationMs }, 'request')
  })
}

function describe(request: FastifyRequest, reply: FastifyReply) {
  return {
    method: request.method,
    status: reply.statusCode,
    route: request.routeOptions.url ?? 'none',
    durationMs: Math.round(reply.elapsedTime * 1000) / 1000,
  }
}

/** Without the query string, where tokens may be. */
function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] as string
}
