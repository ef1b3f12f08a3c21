import type { DataPlane } from './data-plane.ts'
import { udpPort } from './test-link.ts'
import { TestPeer } from './test-peer.ts'

export interface Plug {
  readonly bridgeId: string
  readonly port: number
  readonly group?: string
}

export const open = { filters: {}, suspended: false } as const

/** A station at a port of a bridge, by a link of its own. */
export class TestStation implements AsyncDisposable {
  readonly peer: TestPeer
  readonly linkId: string
  readonly #port: number

  private constructor(peer: TestPeer, linkId: string, port: number) {
    this.peer = peer
    this.linkId = linkId
    this.#port = port
  }

  static async open(plane: DataPlane, { bridgeId, port, group = 'group' }: Plug): Promise<TestStation> {
    const peer = await TestPeer.open()
    const linkId = `station at ${bridgeId} ${port}`
    await plane.openLink(linkId, { ...open, group })
    const { local } = await plane.attachPort(linkId, 0, udpPort(peer.port))
    await plane.attachPort(linkId, 1, { kind: 'bridge', bridgeId, port })
    return new TestStation(peer, linkId, local?.port ?? 0)
  }

  async send(...frames: readonly Buffer[]): Promise<void> {
    for (const frame of frames) await this.peer.send(frame, this.#port)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.peer[Symbol.asyncDispose]()
  }
}

/** Joins the same port of two bridges by a link. */
export async function joinBridges(plane: DataPlane, bridges: readonly [string, string], port: number): Promise<string> {
  const linkId = `${bridges.join(' - ')}, ${port}`
  await plane.openLink(linkId, { ...open, group: 'group' })
  for (const end of [0, 1] as const)
    await plane.attachPort(linkId, end, { kind: 'bridge', bridgeId: bridges[end], port })
  return linkId
}
