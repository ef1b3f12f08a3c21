import { pino } from 'pino'
import { parseFilters } from '../filters/index.ts'
import { DataPlane, type LinkEnd, type LinkStatistics } from './data-plane.ts'
import { TestNamespace } from './test-namespace.ts'
import { transfer } from './test-transfer.ts'

export const firstAddress = '10.99.0.1'
export const secondAddress = '10.99.0.2'

/** Two network namespaces whose TAP devices are joined by one link, on a data plane of its own. */
export class TestDeviceLink implements AsyncDisposable {
  readonly plane = new DataPlane({ logger: pino({ level: 'silent' }) })
  readonly spaces: readonly [TestNamespace, TestNamespace] = [new TestNamespace(), new TestNamespace()]

  static async open(filters: unknown = {}, mtu = 1500): Promise<TestDeviceLink> {
    const link = new TestDeviceLink()
    await link.plane.openLink('link', { filters: parseFilters(filters), suspended: false, seed: 1 })
    link.spaces[0].addTap(firstAddress, mtu)
    link.spaces[1].addTap(secondAddress, mtu)
    await link.plugIn()
    return link
  }

  /** Attaches both ports. */
  async plugIn(): Promise<void> {
    for (const [end, space] of this.spaces.entries()) {
      await this.plane.attachPort('link', end as LinkEnd, { kind: 'tap', namespace: space.path, name: 'eth0' })
    }
  }

  /** Detaches both ports: nothing is counted after that. */
  async unplug(): Promise<void> {
    for (const end of [0, 1] as const) await this.plane.detachPort('link', end)
  }

  /** From the first namespace to the second; throws when not all answers come. */
  async ping(...options: readonly string[]): Promise<void> {
    await this.spaces[0].run('ping', '-c', '3', '-i', '0.02', '-W', '5', ...options, secondAddress)
  }

  async transfer(megabytes: number): Promise<{ sent: string; received: string }> {
    const [from, to] = this.spaces
    return transfer({ from, to, address: secondAddress, megabytes })
  }

  async setFilters(filters: unknown): Promise<void> {
    await this.plane.setFilters('link', parseFilters(filters))
  }

  async statistics(): Promise<LinkStatistics> {
    return this.plane.statistics('link')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.plane[Symbol.asyncDispose]()
    for (const space of this.spaces) space[Symbol.dispose]()
  }
}
