import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import type { NodeConsole } from '../nodes/node-kind.ts'
import { TelnetInput, telnetGreeting } from './telnet-input.ts'

/** So much of what was shown is shown again to who connects later. */
const rememberedBytes = 16 * 1024

/** Slower readers than this are cut off rather than kept in memory. */
const waitingBytes = 1024 * 1024

export interface TelnetConsoleOptions {
  readonly host: string
  readonly port: number
}

/** A node's console as a telnet server: all who connect see the same screen and type on the same keyboard. */
export class TelnetConsole implements AsyncDisposable {
  readonly #console: NodeConsole
  readonly #server: Server
  readonly #clients = new Set<Socket>()
  readonly #watchers = new Set<(bytes: Buffer) => void>()
  #shown = Buffer.alloc(0)

  constructor(console: NodeConsole) {
    this.#console = console
    this.#server = createServer((socket) => this.#welcome(socket))
    console.output.on('data', (chunk: Buffer) => this.#show(chunk))
  }

  /** Throws what `listen` throws, `EADDRINUSE` among others. */
  async listen({ host, port }: TelnetConsoleOptions): Promise<void> {
    this.#server.listen(port, host)
    await once(this.#server, 'listening')
  }

  /** Shows what is on the screen and what comes, without telnet, until the function that is given back is called. */
  watch(show: (bytes: Buffer) => void): () => void {
    show(this.#shown)
    this.#watchers.add(show)
    return () => this.#watchers.delete(show)
  }

  type(keys: Uint8Array): void {
    this.#console.input.write(keys)
  }

  #welcome(socket: Socket): void {
    const input = new TelnetInput()
    this.#clients.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => this.#clients.delete(socket))
    socket.on('data', (bytes) => this.type(input.read(bytes)))
    socket.write(telnetGreeting)
    socket.write(escaped(this.#shown))
  }

  #show(chunk: Buffer): void {
    this.#shown = Buffer.concat([this.#shown, chunk]).subarray(-rememberedBytes)
    for (const show of this.#watchers) show(chunk)
    for (const socket of this.#clients) {
      socket.write(escaped(chunk))
      if (socket.writableLength > waitingBytes) socket.destroy()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#clients) socket.destroy()
    if (!this.#server.listening) return
    this.#server.close()
    await once(this.#server, 'close')
  }
}

/** A byte 255 of the screen is doubled, or it would be taken for a command. */
function escaped(bytes: Buffer): Buffer {
  if (!bytes.includes(255)) return bytes
  return Buffer.from([...bytes].flatMap((byte) => (byte === 255 ? [255, 255] : [byte])))
}
