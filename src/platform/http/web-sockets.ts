import { on } from 'node:events'
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type RawData, type WebSocket, WebSocketServer } from 'ws'
import type { Actor } from '../auth/actor.ts'
import { type AppError, asAppError, notFound } from '../errors.ts'
import type { Logger } from '../log.ts'
import type { Authenticate } from './add-routes.ts'
import { errorBody } from './error-body.ts'
import { errorStatus } from './error-status.ts'
import { familyOf } from './family.ts'

/** An open connection, as the one who serves it sees it. */
export interface SocketPeer {
  /** Resolves when the message has left. Who does not wait for that, and reads far too slowly, is cut off. */
  send(message: string | Uint8Array): Promise<void>
  /** What the peer says, until it or the server closes. */
  messages(): AsyncIterable<Buffer>
  /** Aborts when either side closes. */
  readonly closed: AbortSignal
}

export interface SocketCall {
  readonly params: Readonly<Record<string, string>>
  readonly actor: Actor
}

/** A websocket address (RFC 6455). */
export interface SocketRoute {
  /** Path variables in braces. */
  readonly path: string
  /** Decides, before the connection is taken, whether it may be; gives what serves it. It is closed when that resolves. */
  readonly open: (call: SocketCall) => Promise<(peer: SocketPeer) => Promise<void>>
}

export interface WebSocketsOptions {
  readonly routes: readonly SocketRoute[]
  readonly authenticate: Authenticate
  /** Aborts when the server begins to stop: connections are closed then. */
  readonly stopping: AbortSignal
  readonly logger: Logger
}

const largestMessageBytes = 64 * 1024
/** A peer that reads more slowly than this is cut off. */
const mostWaitingBytes = 8 * 1024 * 1024
const goingAway = 1001
const failed = 1011

/** Serves websockets on a listener. Who cannot send headers, as browsers, authenticates with `?token=`. */
export function addWebSockets(server: Server, options: WebSocketsOptions): void {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: largestMessageBytes, perMessageDeflate: false })
  const routes = options.routes.map((route) => ({ ...route, pattern: patternOf(route.path) }))
  server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    stream.on('error', () => stream.destroy())
    accept(request)
      .then((serve) =>
        sockets.handleUpgrade(request, stream, head, (socket) => void serveSocket(socket, serve, options)),
      )
      .catch((error) => refuse(stream, request, asAppError(error)))
  })

  async function accept(request: IncomingMessage) {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://server')
    for (const { pattern, open } of routes) {
      const found = pattern.exec(pathname)
      if (found === null) continue
      const actor = await options.authenticate(callerOf(request, searchParams))
      return open({ params: { ...found.groups }, actor })
    }
    throw notFound('websocket', pathname)
  }
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}/?$`)
}

function callerOf({ headers, socket }: IncomingMessage, query: URLSearchParams) {
  const token = query.get('token')
  return { socket, headers: { authorization: token === null ? headers.authorization : `Bearer ${token}` } }
}

async function serveSocket(
  socket: WebSocket,
  serve: (peer: SocketPeer) => Promise<void>,
  { stopping, logger }: WebSocketsOptions,
): Promise<void> {
  const closed = new AbortController()
  const close = () => socket.close(goingAway)
  socket.on('error', () => socket.terminate())
  socket.on('close', () => closed.abort())
  stopping.addEventListener('abort', close, { once: true })
  try {
    await serve(peerOf(socket, closed.signal))
    socket.close()
  } catch (error) {
    if (!closed.signal.aborted) logger.warn({ err: error }, 'a websocket failed')
    socket.close(failed)
  } finally {
    stopping.removeEventListener('abort', close)
  }
}

function peerOf(socket: WebSocket, closed: AbortSignal): SocketPeer {
  return {
    closed,
    send: (message) => {
      if (socket.bufferedAmount > mostWaitingBytes) socket.terminate()
      return new Promise((resolve, reject) => socket.send(message, (error) => (error ? reject(error) : resolve())))
    },
    messages: () => messagesOf(socket, closed),
  }
}

async function* messagesOf(socket: WebSocket, signal: AbortSignal): AsyncGenerator<Buffer> {
  try {
    for await (const [data] of on(socket, 'message', { signal }) as AsyncIterable<[RawData]>) {
      yield Buffer.isBuffer(data) ? data : Buffer.concat(data instanceof ArrayBuffer ? [Buffer.from(data)] : data)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/** An ordinary answer in place of the connection. */
function refuse(stream: Duplex, request: IncomingMessage, error: AppError): void {
  const route = (request.url ?? '/').split('?', 1)[0] as string
  const family = familyOf(route)
  const status = errorStatus(family, error)
  const method = request.method ?? 'GET'
  const body = Buffer.from(JSON.stringify(errorBody(family, error, { status, method, route, body: undefined })))
  const lines = [
    `HTTP/1.1 ${status} ${error.code}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${body.length}`,
    ...(status === 401 ? ['WWW-Authenticate: Basic realm="Backhaul", charset="UTF-8"'] : []),
  ]
  stream.end(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body]))
}
