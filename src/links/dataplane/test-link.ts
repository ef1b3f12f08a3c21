import { pino } from 'pino'
import { parseFilters } from '../filters/index.ts'
import { DataPlane, type DataPlaneOptions } from './data-plane.ts'
import { TestPeer } from './test-peer.ts'

/** One link between two test peers, on a data plane of its own. */
export class TestLink implements AsyncDisposable {
  readonly plane: DataPlane
  readonly peers: readonly [TestPeer, TestPeer]
  /** Our ports: what the first peer sends to, and the second. */
  readonly ports: readonly [number, number]

  private constructor(plane: DataPlane, peers: readonly [TestPeer, TestPeer], ports: readonly [number, number]) {
    this.plane = plane
    this.peers = peers
    this.ports = ports
  }

  static async open(filters: unknown = {}, options: Partial<DataPlaneOptions> = {}): Promise<TestLink> {
    const plane = new DataPlane({ logger: pino({ level: 'silent' }), ...options })
    const peers = [await TestPeer.open(), await TestPeer.open()] as const
    await plane.openLink('link', { filters: parseFilters(filters), suspended: false, seed: 1 })
    const ports = [await attach(plane, 0, peers[0]), await attach(plane, 1, peers[1])] as const
    return new TestLink(plane, peers, ports)
  }

  /** Sends frames from the first peer, in order. */
  async send(...frames: readonly Buffer[]): Promise<void> {
    for (const frame of frames) await this.peers[0].send(frame, this.ports[0])
  }

  async setFilters(filters: unknown): Promise<void> {
    await this.plane.setFilters('link', parseFilters(filters))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.plane[Symbol.asyncDispose]()
    for (const peer of this.peers) await peer[Symbol.asyncDispose]()
  }
}

export function udpPort(peerPort: number, localPort = 0, namespace?: string) {
  return {
    kind: 'udp',
    local: { host: '127.0.0.1', port: localPort },
    peer: { host: '127.0.0.1', port: peerPort },
    ...(namespace === undefined ? {} : { namespace }),
  } as const
}

async function attach(plane: DataPlane, end: 0 | 1, peer: TestPeer): Promise<number> {
  const { local } = await plane.attachPort('link', end, udpPort(peer.port))
  return local?.port ?? 0
}
