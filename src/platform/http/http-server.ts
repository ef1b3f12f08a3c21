import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type FastifyInstance, fastify } from 'fastify'
import { AppError } from '../errors.ts'
import type { Logger } from '../log.ts'
import { addCors } from './cors.ts'
import { answerErrors, type ErrorForm, errorSender, type SendError } from './error-answers.ts'
import { familyOf } from './family.ts'
import type { HttpMetrics } from './request-log.ts'
import { addRequestLog } from './request-log.ts'
import { answerUnreadable } from './unreadable-request.ts'

export interface HttpServerOptions {
  readonly name: string
  readonly listen: { readonly host: string; readonly port: number }
  readonly tls?: { readonly cert: Buffer; readonly key: Buffer } | undefined
  readonly logger: Logger
  readonly metrics: HttpMetrics
  readonly corsOrigins?: readonly string[]
  readonly errors?: ErrorForm
  /** Whether `/x/` is the same address as `/x`; where files are served it is not. */
  readonly ignoresTrailingSlash?: boolean
  /** How long running requests may go on after the stop was asked for. */
  readonly graceMs?: number
}

const defaultBodyLimitBytes = 1024 * 1024

/** One HTTP listener: `app` takes the routes, then `listen` opens it; disposing ends running requests within the grace time. */
export class HttpServer implements AsyncDisposable {
  readonly app: FastifyInstance
  readonly #options: HttpServerOptions
  readonly #stopping = new AbortController()
  readonly #cutOff = new AbortController()

  constructor(options: HttpServerOptions) {
    this.#options = options
    const sendError = errorSender(options.errors ?? 'by path', options.logger)
    this.app = createApp(options, sendError)
    addRequestLog(this.app, options)
    addCors(this.app, options.corsOrigins ?? [])
    answerErrors(this.app, sendError)
  }

  /** Aborts when the server has waited long enough for its running requests. */
  get signal(): AbortSignal {
    return this.#cutOff.signal
  }

  /** Aborts when the server begins to stop: streams without end must not make it wait. */
  get stopping(): AbortSignal {
    return this.#stopping.signal
  }

  /**
   * Lets `serve` answer what it can before the framework sees it; it gives false for what it leaves alone. Such answers are
   * counted under `route` but not logged.
   */
  answerFirst(route: string, serve: (request: IncomingMessage, response: ServerResponse) => boolean): void {
    const { server } = this.app
    const [handle] = server.listeners('request') as [(request: IncomingMessage, response: ServerResponse) => void]
    const { name, metrics } = this.#options
    server.removeAllListeners('request')
    server.on('request', (request, response) => {
      const start = performance.now()
      if (!serve(request, response)) return handle(request, response)
      const labels = { listener: name, method: 'GET', route, status: response.statusCode }
      metrics.requestSeconds.observe(labels, (performance.now() - start) / 1000)
    })
  }

  /** Opens the listener and gives its URL. */
  async listen(): Promise<string> {
    await this.app.listen(this.#options.listen)
    const { port } = this.app.server.address() as AddressInfo
    const { host } = this.#options.listen
    const scheme = this.#options.tls === undefined ? 'http' : 'https'
    return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { graceMs = 10_000 } = this.#options
    this.#stopping.abort(new AppError('unavailable', 'The server stops'))
    const timer = setTimeout(() => this.#endAll(), graceMs)
    // a connection whose last request has just ended would be kept open for the next one
    const idle = setInterval(() => this.app.server.closeIdleConnections(), 50)
    try {
      await this.app.close()
    } finally {
      clearTimeout(timer)
      clearInterval(idle)
    }
  }

  #endAll(): void {
    this.#cutOff.abort(new AppError('unavailable', 'The server stops'))
    this.app.server.closeAllConnections()
  }
}

function createApp({ tls, ignoresTrailingSlash = false }: HttpServerOptions, sendError: SendError): FastifyInstance {
  const app = fastify({
    logger: false,
    genReqId: () => randomUUID(),
    bodyLimit: defaultBodyLimitBytes,
    forceCloseConnections: 'idle',
    exposeHeadRoutes: true,
    routerOptions: { ignoreTrailingSlash: ignoresTrailingSlash, maxParamLength: 1000 },
    requestTimeout: 0,
    clientErrorHandler: answerUnreadable,
    // what no route can be found for passes no hook
    frameworkErrors: (error, request, reply) => sendError(error, request, reply.header('x-request-id', request.id)),
    ...(tls === undefined ? {} : { https: tls }),
  })
  // bodies stay bytes here: each route reads them in the way its family of paths wants
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, bytes, done) => done(null, bytes))
  app.addHook('onRequest', async ({ url, raw }) => {
    // the framework would refuse a Content-Type that is none, where the links API takes anything
    if (familyOf(url) === 'links') delete raw.headers['content-type']
  })
  return app
}
