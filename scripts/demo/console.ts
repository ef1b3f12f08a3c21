import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

const patienceMs = 20_000

/** Types a command at a node's console and gives what is shown until `pattern` is found. */
export async function typeAt(port: number, command: string, pattern: RegExp): Promise<string> {
  const socket: Socket = connect(port, '127.0.0.1')
  const signal = AbortSignal.timeout(patienceMs)
  try {
    await once(socket, 'connect', { signal })
    // the prompt: before it the node is still busy with its startup script
    await shownUntil(socket, /VPCS> $/, signal)
    socket.write(`${command}\r`)
    return await shownUntil(socket, pattern, signal)
  } finally {
    socket.destroy()
  }
}

async function shownUntil(socket: Socket, pattern: RegExp, signal: AbortSignal): Promise<string> {
  let shown = ''
  while (!pattern.test(shown)) {
    const [chunk] = (await once(socket, 'data', { signal })) as [Buffer]
    shown += chunk.toString('latin1')
  }
  return shown
}
