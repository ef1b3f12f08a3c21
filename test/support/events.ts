import type { Json } from './json.ts'
import { adminPassword, type TestServer } from './test-server.ts'
import { waitUntil } from './wait-until.ts'

export type Heard = { readonly action: string; readonly event: Json }

/** Someone who listens, and remembers everything but pings. */
export interface Listener extends AsyncDisposable {
  readonly heard: Heard[]
  readonly pings: Heard[]
  /** Waits until something has been heard, and gives all until then. */
  until(action: string): Promise<Heard[]>
  readonly ended: Promise<void>
}

/** Listens to a stream of JSON lines; what happens after this resolves is heard. */
export async function listen(server: TestServer, path: string, as = `admin:${adminPassword}`): Promise<Listener> {
  const end = new AbortController()
  const response = await fetch(new URL(path, server.api), {
    headers: { authorization: `Basic ${Buffer.from(as).toString('base64')}` },
    signal: end.signal,
  })
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
  const listener = remember()
  const read = async () => {
    let text = ''
    for await (const chunk of (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
      const lines = (text + chunk).split('\n')
      text = lines.pop() as string
      for (const line of lines) listener.hear(line)
    }
  }
  const ended = read().catch(() => undefined)
  await waitUntil('the first ping', () => listener.pings.length > 0)
  return {
    ...listener,
    ended,
    [Symbol.asyncDispose]: async () => {
      end.abort()
      await ended
    },
  }
}

/** Listens by websocket. */
export async function listenBySocket(url: URL): Promise<Listener> {
  const socket = new WebSocket(url)
  const listener = remember()
  const ended = new Promise<void>((resolve) => socket.addEventListener('close', () => resolve()))
  socket.addEventListener('message', ({ data }) => listener.hear(data))
  await waitUntil('the first ping', () => listener.pings.length > 0)
  return {
    ...listener,
    ended,
    [Symbol.asyncDispose]: async () => {
      socket.close()
      await ended
    },
  }
}

function remember() {
  const heard: Heard[] = []
  const pings: Heard[] = []
  return {
    heard,
    pings,
    hear: (line: string) => {
      const event = JSON.parse(line) as Heard
      if (event.action === 'ping') pings.push(event)
      else heard.push(event)
    },
    until: async (action: string) => {
      await waitUntil(action, () => heard.some((each) => each.action === action))
      return heard
    },
  }
}
