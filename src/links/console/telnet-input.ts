// Telnet (RFC 854, RFC 857, RFC 858): what is needed for a terminal that sends each key at once
const SE = 240
const SB = 250
const WILL = 251
const DONT = 254
const IAC = 255
const ECHO = 1
const SUPPRESS_GO_AHEAD = 3

/** Asks the client to send every key at once and to leave the echo to us. */
export const telnetGreeting = Buffer.from([IAC, WILL, ECHO, IAC, WILL, SUPPRESS_GO_AHEAD])

type State = 'text' | 'command' | 'option' | 'subnegotiation' | 'subnegotiation command'

/** Takes telnet's own commands out of what a client sends, wherever the bytes are cut, and gives the keys. */
export class TelnetInput {
  #state: State = 'text'
  #isAfterReturn = false

  read(bytes: Uint8Array): Buffer {
    const keys: number[] = []
    for (const byte of bytes) {
      if (this.#state === 'text' && byte !== IAC) this.#pushKey(keys, byte)
      else this.#state = this.#next(byte, keys)
    }
    return Buffer.from(keys)
  }

  /** A line ends with CR LF or CR NUL on the wire (RFC 854) and with CR on a terminal. */
  #pushKey(keys: number[], byte: number): void {
    const endsLine = this.#isAfterReturn && (byte === 0 || byte === 10)
    this.#isAfterReturn = byte === 13
    if (!endsLine) keys.push(byte === 10 ? 13 : byte)
  }

  #next(byte: number, keys: number[]): State {
    switch (this.#state) {
      case 'text':
        return 'command'
      case 'command':
        return this.#afterCommand(byte, keys)
      case 'option':
        return 'text'
      case 'subnegotiation':
        return byte === IAC ? 'subnegotiation command' : 'subnegotiation'
      case 'subnegotiation command':
        return byte === SE ? 'text' : 'subnegotiation'
    }
  }

  #afterCommand(byte: number, keys: number[]): State {
    if (byte === IAC) keys.push(IAC)
    if (byte === SB) return 'subnegotiation'
    return byte >= WILL && byte <= DONT ? 'option' : 'text'
  }
}
