import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { SeededRandom } from './seeded-random.ts'

export interface BadLineOptions {
  readonly port: number
  /** Each piece of an answer comes so much later. */
  readonly delayMs?: number
  /** A connection breaks off after about so many bytes of answers. */
  readonly cutAfterBytes?: number
  /** Each so-manieth connection is refused. */
  readonly refusesEach?: number
}

export interface BadLine extends AsyncDisposable {
  readonly port: number
  /** How many connections broke off or were refused. */
  readonly broken: number
}

/** A line to a server of this machine that is slow, and breaks again and again. */
export async function openBadLine(options: BadLineOptions): Promise<BadLine> {
  const {
    port,
    delayMs = 0,
    cutAfterBytes = Number.POSITIVE_INFINITY,
    refusesEach = Number.POSITIVE_INFINITY,
  } = options
  const random = new SeededRandom(7)
  const sockets = new Set<Socket>()
  let connections = 0
  let broken = 0
  const server = createServer((near) => {
    sockets.add(near)
    near.on('error', () => {})
    connections += 1
    if (connections % refusesEach === 0) {
      broken += 1
      return near.resetAndDestroy()
    }
    const far = connect(port, '127.0.0.1')
    near.pipe(far)
    near.once('close', () => far.destroy())
    far.on('error', () => near.destroy())
    return void carry(far, near)
  })

  async function carry(far: Socket, near: Socket): Promise<void> {
    let left = cutAfterBytes * (0.5 + random.next())
    try {
      for await (const piece of far as AsyncIterable<Buffer>) {
        if (delayMs > 0) await setTimeout(delayMs)
        const isLast = piece.length >= left
        near.write(isLast ? piece.subarray(0, left) : piece)
        left -= piece.length
        if (!isLast) continue
        broken += 1
        near.destroySoon()
        return
      }
      near.end()
    } catch {
      near.destroy()
    }
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    get broken() {
      return broken
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
