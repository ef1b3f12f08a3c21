import { connect } from 'node:net'

/** Writes bytes to a server as they are and gives everything it answers until it closes. */
export async function askRaw(url: string, bytes: string | Uint8Array): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  socket.on('error', () => {}) // a server may close while we still write
  socket.write(bytes)
  await new Promise((resolve) => socket.once('close', resolve))
  return Buffer.concat(chunks).toString('utf8')
}
