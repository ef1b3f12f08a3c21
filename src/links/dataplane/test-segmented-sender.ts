import assert from 'node:assert/strict'
import type { DataPlane } from './data-plane.ts'
import { firstAddress } from './test-device-link.ts'
import { udpPort } from './test-link.ts'
import type { TestNamespace } from './test-namespace.ts'
import { numberedFrame, numberOf, TestPeer } from './test-peer.ts'

const port = 6000
const frames = 60

/**
 * Sends datagrams from one namespace to the other as the kernel's segmented sends (udp(7), UDP_SEGMENT): that is what
 * UDP ports do, so two further links have one in each namespace.
 */
export class SegmentedSender implements AsyncDisposable {
  readonly #peers: readonly [TestPeer, TestPeer]
  readonly #entry: number

  private constructor(peers: readonly [TestPeer, TestPeer], entry: number) {
    this.#peers = peers
    this.#entry = entry
  }

  static async open(
    plane: DataPlane,
    [first, second]: readonly [TestNamespace, TestNamespace],
    address: string,
  ): Promise<SegmentedSender> {
    const peers = [await TestPeer.open(), await TestPeer.open()] as const
    await plane.openLink('into first', { filters: {}, suspended: true })
    await plane.openLink('out of second', { filters: {}, suspended: false })
    const { local } = await plane.attachPort('into first', 0, udpPort(peers[0].port))
    const from = { host: firstAddress, port }
    const to = { host: address, port }
    await plane.attachPort('into first', 1, { kind: 'udp', namespace: first.path, local: from, peer: to })
    await plane.attachPort('out of second', 0, { kind: 'udp', namespace: second.path, local: to, peer: from })
    await plane.attachPort('out of second', 1, udpPort(peers[1].port))
    await plane.setFilters('into first', { delay: [20] })
    await plane.setSuspended('into first', false)
    return new SegmentedSender(peers, local?.port ?? 0)
  }

  /** Sends datagrams of one size, which wait for each other and leave together, and waits for them. */
  async sendAndCheck(): Promise<void> {
    const [sender, receiver] = this.#peers
    const already = receiver.frames.length
    for (let number = 0; number < frames; number += 1) await sender.send(numberedFrame(number, 1000), this.#entry)
    await receiver.received(already + frames)
    const received = receiver.frames.slice(already)
    assert.deepEqual(received.map(numberOf), [...received.keys()])
    assert.ok(received.every((frame, number) => frame.equals(numberedFrame(number, 1000))))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const peer of this.#peers) await peer[Symbol.asyncDispose]()
  }
}
