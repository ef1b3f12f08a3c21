import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'

const statuses: Readonly<Record<string, number>> = { ERR_HTTP_REQUEST_TIMEOUT: 408, HPE_HEADER_OVERFLOW: 431 }

/** Answers what cannot be read as HTTP, and closes the connection: nobody knows where a next request would begin. */
export function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const status = statuses[error.code ?? ''] ?? 400
  const body = JSON.stringify({ error: { message: STATUS_CODES[status] } })
  const headers = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${body.length}`,
  ]
  if (socket.writable) socket.write(`${headers.join('\r\n')}\r\n\r\n${body}`)
  socket.destroy(error)
}
