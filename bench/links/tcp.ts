import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { TestNamespace } from '../../src/links/dataplane/test-namespace.ts'
import { claim, note } from '../report.ts'
import { openLinkRelay } from './relays.ts'

export interface TcpOptions {
  readonly seconds: number
  readonly rounds: number
}

type Spaces = readonly [TestNamespace, TestNamespace]
type Join = (spaces: Spaces) => Promise<AsyncDisposable>

const addresses = ['10.97.0.1', '10.97.0.2'] as const

/** TCP from one network namespace to another, by iperf3: a bare veth pair against TAP devices joined by a link. */
export async function tcp({ seconds, rounds }: TcpOptions): Promise<void> {
  note('\nTCP between two network namespaces, the best of all rounds')
  const missing = whatIsMissing()
  if (missing !== undefined) return note(`  skipped: ${missing}`)
  const joins: Readonly<Record<string, Join>> = {
    veth: joinByVeth,
    own: (spaces) => joinByLink(spaces),
    delay: (spaces) => joinByLink(spaces, { delay: [1] }),
  }
  const best = new Map<string, number>()
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, join] of Object.entries(joins)) {
      best.set(name, Math.max(best.get(name) ?? 0, await measureTcp(join, seconds)))
    }
  }
  const of = (name: string) => best.get(name) ?? 0
  for (const name of Object.keys(joins)) note(`  ${name.padEnd(10)} ${(of(name) / 1e9).toFixed(2).padStart(6)} Gbit/s`)
  claim('TCP, of a bare veth pair', of('own') / of('veth'), { atLeast: 0.5 })
}

function whatIsMissing(): string | undefined {
  if (process.getuid?.() !== 0) return 'network namespaces need root'
  try {
    execFileSync('iperf3', ['--version'], { stdio: 'ignore' })
    return undefined
  } catch {
    return 'iperf3 is not installed'
  }
}

/** Gives bits each second as the receiver saw them. */
async function measureTcp(join: Join, seconds: number): Promise<number> {
  using first = new TestNamespace()
  using second = new TestNamespace()
  await using _joined = await join([first, second])
  const server = second.start('iperf3', '--server', '--one-off', '--forceflush')
  try {
    await once(server.stdout, 'data')
    const printed = await first.run('iperf3', '--client', addresses[1], '--time', String(seconds), '--json')
    const report = JSON.parse(printed) as { end: { sum_received: { bits_per_second: number } } }
    return report.end.sum_received.bits_per_second
  } finally {
    server.kill('SIGKILL')
  }
}

async function joinByVeth([first, second]: Spaces): Promise<AsyncDisposable> {
  first.ip(`link add eth0 type veth peer name eth0 netns ${second.name}`)
  for (const [end, space] of [first, second].entries()) {
    space.ip('link set eth0 up')
    space.ip(`addr add ${addresses[end]}/24 dev eth0`)
  }
  return { [Symbol.asyncDispose]: async () => undefined }
}

async function joinByLink([first, second]: Spaces, filters: unknown = {}): Promise<AsyncDisposable> {
  return openLinkRelay([first.addTap(addresses[0]), second.addTap(addresses[1])], filters)
}
