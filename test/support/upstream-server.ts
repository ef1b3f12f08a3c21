import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, request as sendRequest } from 'node:http'
import { createServer as createTlsServer, type ServerOptions } from 'node:https'
import { type AddressInfo, connect, createServer as createNetServer, type Socket } from 'node:net'

/** A server that plays somebody else's, on a port of its own. */
export interface UpstreamServer extends AsyncDisposable {
  /** Without a slash at the end. */
  readonly url: string
  readonly port: number
  /** Every request that came in, in order. */
  readonly requests: readonly IncomingMessage[]
}

export async function startUpstream(answer: RequestListener, tls?: ServerOptions): Promise<UpstreamServer> {
  const requests: IncomingMessage[] = []
  const listener: RequestListener = (request, response) => {
    requests.push(request)
    answer(request, response)
  }
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener)
  server.on('tlsClientError', () => {}) // clients that fail the handshake are part of the tests
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: tls === undefined ? `http://127.0.0.1:${port}` : `https://localhost:${port}`,
    port,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** A server that says whatever `talk` writes after the first bytes of a request, and counts its connections. */
export async function startRudeUpstream(
  talk: (socket: Socket, connection: number) => void,
): Promise<Omit<UpstreamServer, 'requests'>> {
  const sockets = new Set<Socket>()
  const server = createNetServer((socket) => {
    sockets.add(socket)
    const connection = sockets.size
    socket.on('error', () => {})
    socket.once('data', () => talk(socket, connection))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/**
 * A proxy that forwards http and tunnels https. With `login` ("user:password") it asks for that; with `portOf` it
 * takes every host for this machine.
 */
export async function startProxy(login?: string, portOf?: (host: string) => number): Promise<UpstreamServer> {
  const requests: IncomingMessage[] = []
  const isAllowed = ({ headers }: IncomingMessage) =>
    login === undefined || headers['proxy-authorization'] === `Basic ${Buffer.from(login).toString('base64')}`
  const server = createServer((request, response) => {
    requests.push(request)
    if (!isAllowed(request)) return response.writeHead(407).end()
    const { 'proxy-authorization': _, ...headers } = request.headers
    const target = new URL(request.url ?? '')
    const host = portOf === undefined ? target.hostname : '127.0.0.1'
    const port = portOf === undefined ? target.port : portOf(target.hostname)
    const forwarded = sendRequest({ host, port, path: target.pathname, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    forwarded.on('error', () => response.writeHead(502).end())
    return forwarded.end()
  })
  server.on('connect', (request, socket) => {
    requests.push(request)
    if (!isAllowed(request)) return socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
    const [host = '', port] = (request.url ?? '').split(':')
    const tunnel = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      tunnel.pipe(socket).pipe(tunnel)
    })
    tunnel.on('error', () => socket.destroy())
    socket.on('error', () => tunnel.destroy())
    return socket.on('close', () => tunnel.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
