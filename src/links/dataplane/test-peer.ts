import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { setImmediate } from 'node:timers/promises'

const patienceMs = 10_000

/** An emulator's side of a port, for tests: a UDP socket that remembers what it got. */
export class TestPeer implements AsyncDisposable {
  readonly frames: Buffer[] = []
  /** When each frame came, by `performance.now()`. */
  readonly times: number[] = []
  readonly #socket: Socket

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('message', (frame) => {
      this.frames.push(frame)
      this.times.push(performance.now())
    })
  }

  static async open(port = 0): Promise<TestPeer> {
    const socket = createSocket({ type: 'udp4', recvBufferSize: 8 * 1024 * 1024 })
    socket.bind(port, '127.0.0.1')
    await once(socket, 'listening')
    return new TestPeer(socket)
  }

  get port(): number {
    return this.#socket.address().port
  }

  /** Resolves when the datagram is with the kernel, and what has come in meanwhile was read. */
  async send(frame: Buffer, port: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#socket.send(frame, port, '127.0.0.1', (error) => (error === null ? resolve() : reject(error)))
    })
    await setImmediate()
  }

  /** Waits until `count` frames have come in all. */
  async received(count: number): Promise<void> {
    const signal = AbortSignal.timeout(patienceMs)
    while (this.frames.length < count) {
      try {
        await once(this.#socket, 'message', { signal })
      } catch (error) {
        throw new Error(`Waited for ${count} frames, got ${this.frames.length}`, { cause: error })
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.close()
    await once(this.#socket, 'close')
  }
}

/** Waits until `isTrue` holds. */
export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + patienceMs
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error(`Waited in vain for ${isTrue}`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

/** A frame of `size` bytes that carries a number. */
export function numberedFrame(number: number, size = 64): Buffer {
  const frame = Buffer.alloc(size, number & 0xff)
  frame.writeUInt32BE(number, 14)
  return frame
}

export function numberOf(frame: Buffer): number {
  return frame.readUInt32BE(14)
}
