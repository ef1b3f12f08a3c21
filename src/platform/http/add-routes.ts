import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Actor, anonymous } from '../auth/actor.ts'
import { AppError } from '../errors.ts'
import { parseBody } from './body.ts'
import type { Route } from './endpoint.ts'
import { type Family, familyOf } from './family.ts'
import { RawReply } from './raw-reply.ts'
import { requestCheck } from './request-checks.ts'
import { addStreaming, uploadOf } from './upload.ts'

/** The part of a request that says who it speaks for. */
export interface Caller {
  readonly headers: { readonly authorization?: string | undefined }
  readonly socket: { readonly remoteAddress?: string | undefined }
}

/** Finds out who a request speaks for, or throws `unauthenticated` or `throttled`. */
export type Authenticate = (caller: Caller) => Promise<Actor>

export interface RoutesOptions {
  readonly routes: readonly Route[]
  readonly authenticate: Authenticate
  /** Aborts the work of requests that are still running when the server stops. */
  readonly signal: AbortSignal
  /** Aborts when the server begins to stop. */
  readonly stopping: AbortSignal
}

/** Puts endpoints on a listener: who asks is found out first, then the request is checked, then the handler runs. */
export function addRoutes(app: FastifyInstance, { routes, ...options }: RoutesOptions): void {
  for (const route of routes) addRoute(app, route, options)
  refuseOtherMethods(app, routes)
}

type Surroundings = Omit<RoutesOptions, 'routes'>

function addRoute(app: FastifyInstance, route: Route, surroundings: Surroundings): void {
  const { method, path, bodyLimitBytes: bodyLimit, streamsBody } = route.endpoint
  const options = {
    method,
    url: fastifyPath(path),
    ...(bodyLimit === undefined ? {} : { bodyLimit }),
    handler: handlerOf(route, surroundings),
  }
  if (streamsBody === true) addStreaming(app, (streaming) => streaming.route(options))
  else app.route(options)
}

function handlerOf({ endpoint, handler }: Route, { authenticate, signal, stopping }: Surroundings) {
  const check = requestCheck(endpoint)
  const family = familyOf(endpoint.path)
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const actor = endpoint.access === 'public' ? anonymous : await authenticate(request)
    const body = readBody(request, family)
    const checked = check({ params: namedParams(request.params), query: request.query, body })
    const own = gone(reply)
    const signals = { signal: AbortSignal.any([signal, own]), stopping: AbortSignal.any([stopping, own]) }
    const upload = uploadOf(request, endpoint.bodyLimitBytes ?? 0)
    const call = { ...checked, upload, actor, request, reply, ...signals }
    return send(reply, endpoint.status, await handler(call))
  }
}

/** The links API shows a refused body in its answer; one that is no JSON is shown as text. */
function readBody(request: FastifyRequest, family: Family): unknown {
  const bytes = Buffer.isBuffer(request.body) ? request.body : undefined
  try {
    request.parsedBody = parseBody({
      family,
      method: request.method,
      contentType: request.headers['content-type'],
      bytes,
    })
    return request.parsedBody
  } catch (error) {
    request.parsedBody = { malformed_json: bytes?.toString('utf8').slice(0, 1000) ?? '' }
    throw error
  }
}

function gone(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort(new AppError('cancelled', 'The caller went away'))
  })
  return controller.signal
}

function send(reply: FastifyReply, status: number, answer: unknown): unknown {
  if (answer instanceof RawReply) {
    return reply.code(answer.status).headers(answer.headers).send(answer.body)
  }
  if (status === 204) return reply.code(204).send()
  return reply.code(status).header('content-type', 'application/json; charset=utf-8').send(JSON.stringify(answer))
}

/** A known address asked in another way is 405 with what it takes, not 404. */
function refuseOtherMethods(app: FastifyInstance, routes: readonly Route[]): void {
  const taken = new Map<string, Set<string>>()
  for (const { endpoint } of routes) {
    const path = fastifyPath(endpoint.path)
    taken.set(path, (taken.get(path) ?? new Set()).add(endpoint.method))
  }
  for (const [path, methods] of taken) addRefusal(app, path, methods)
}

const allMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/** Answers every other method of an address with 405. */
export function addRefusal(app: FastifyInstance, path: string, methods: ReadonlySet<string>): void {
  app.route({
    method: allMethods.filter((method) => !methods.has(method)),
    url: path,
    exposeHeadRoute: !methods.has('GET'),
    handler: async (request, reply) => {
      reply.header('allow', [...methods, ...(methods.has('GET') ? ['HEAD'] : [])].join(', '))
      throw new AppError(
        'method_not_allowed',
        `Cannot ${request.method} ${request.url.split('?', 1)[0]}: it takes ${[...methods].join(', ')}`,
      )
    },
  })
}

/** Fastify's own way to write a path; a colon that is meant as one is doubled there. */
function fastifyPath(path: string): string {
  return path
    .replaceAll(':', '::')
    .replace(/\{path\.\.\.\}$/, '*')
    .replaceAll(/\{(\w+)\}/g, ':$1')
}

function namedParams(params: unknown): unknown {
  const { '*': path, ...named } = params as Record<string, unknown>
  return path === undefined ? named : { ...named, path }
}
