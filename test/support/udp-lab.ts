import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { freePort } from './free-port.ts'
import { post } from './lab.ts'
import type { TestServer } from './test-server.ts'

export interface Arrival {
  readonly frame: Buffer
  readonly atMs: number
}

/** An emulator at the UDP port of a cloud: sends bare Ethernet frames, one per datagram, and keeps what arrives. */
export class Station implements AsyncDisposable {
  readonly arrivals: Arrival[] = []
  readonly port: number
  readonly #socket: Socket
  readonly #cloudPort: number

  constructor(socket: Socket, cloudPort: number) {
    this.#socket = socket
    this.#cloudPort = cloudPort
    this.port = socket.address().port
    socket.on('message', (frame) => this.arrivals.push({ frame, atMs: performance.now() }))
  }

  /** Resolves when the kernel has taken the frame. */
  send(frame: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#socket.send(frame, this.#cloudPort, '127.0.0.1', (error) => (error === null ? resolve() : reject(error)))
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.close()
    await once(this.#socket, 'close')
  }
}

export interface UdpLab extends AsyncDisposable {
  readonly base: string
  readonly left: Station
  readonly right: Station
  /** Of the link between the cloud of the left station and a hub: left to right is its forward direction. */
  readonly linkPath: string
}

let labs = 0

/** Two stations, each at the UDP port of a cloud, with a link and a hub between them. */
export async function createUdpLab(server: TestServer): Promise<UdpLab> {
  labs += 1
  const project = await post(server, '/v2/projects', { name: `udp lab ${labs}`, auto_close: false })
  const base = `/v2/projects/${project.project_id}`
  const create = (node_type: string, properties: object = {}) =>
    post(server, `${base}/nodes`, { name: node_type, node_type, compute_id: 'local', properties })
  const hub = await create('ethernet_hub')
  const stations: Station[] = []
  const links: string[] = []
  for (const hubPort of [0, 1]) {
    const station = await openStation()
    const udp = {
      name: 'udp',
      port_number: 0,
      type: 'udp',
      lport: station.lport,
      rhost: '127.0.0.1',
      rport: station.rport,
    }
    const cloud = await create('cloud', { ports_mapping: [udp] })
    const link = await post(server, `${base}/links`, {
      nodes: [
        { node_id: cloud.node_id, adapter_number: 0, port_number: 0 },
        { node_id: hub.node_id, adapter_number: 0, port_number: hubPort },
      ],
    })
    stations.push(station.station)
    links.push(link.link_id)
  }
  const [left, right] = stations as [Station, Station]
  return {
    base,
    left,
    right,
    linkPath: `${base}/links/${links[0]}`,
    [Symbol.asyncDispose]: async () => {
      await left[Symbol.asyncDispose]()
      await right[Symbol.asyncDispose]()
      await server.ask(base, { method: 'DELETE' })
    },
  }
}

async function openStation() {
  const lport = await freePort()
  const socket = createSocket({ type: 'udp4', recvBufferSize: 4 * 1024 * 1024 }).bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return { station: new Station(socket, lport), lport, rport: socket.address().port }
}

const headerBytes = 14

/** A frame for everybody with a number and the time in it. */
export function numberedFrame(number: number, sizeBytes = 100, timeMs = performance.now()): Buffer {
  const frame = Buffer.alloc(sizeBytes)
  frame.fill(0xff, 0, 6)
  frame.write('020000000001', 6, 'hex')
  frame.writeUInt16BE(0x88b5, 12)
  frame.writeUInt32BE(number, headerBytes)
  frame.writeDoubleBE(timeMs, headerBytes + 4)
  return frame
}

export function numberOf(frame: Buffer): number {
  return frame.readUInt32BE(headerBytes)
}

/** How long it was on its way. */
export function delayMsOf({ frame, atMs }: Arrival): number {
  return atMs - frame.readDoubleBE(headerBytes + 4)
}
