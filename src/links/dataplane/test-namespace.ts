import { type ChildProcessByStdio, execFile, execFileSync, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import type { TapPortSpec } from './protocol.ts'

const execute = promisify(execFile)
let made = 0

/** A network namespace for tests, named (ip-netns(8)) until it is disposed of. Needs root. */
export class TestNamespace implements Disposable {
  readonly name: string

  constructor() {
    made += 1
    this.name = `backhaul-test-${process.pid}-${made}`
    execFileSync('ip', ['netns', 'add', this.name])
    this.ip('link set lo up')
  }

  get path(): string {
    return `/run/netns/${this.name}`
  }

  /** Runs ip(8) inside. */
  ip(command: string): void {
    execFileSync('ip', ['-n', this.name, ...command.split(' ')], { stdio: ['ignore', 'pipe', 'pipe'] })
  }

  /** Runs a program inside to its end; gives what it prints. */
  async run(program: string, ...options: readonly string[]): Promise<string> {
    const { stdout } = await execute('ip', ['netns', 'exec', this.name, program, ...options])
    return stdout
  }

  start(program: string, ...options: readonly string[]): ChildProcessByStdio<null, Readable, null> {
    return spawn('ip', ['netns', 'exec', this.name, program, ...options], { stdio: ['ignore', 'pipe', 'inherit'] })
  }

  /** Makes a TAP device that stays, with an address, and gives the port that joins it. */
  addTap(address: string, mtu = 1500): TapPortSpec {
    this.ip('tuntap add dev eth0 mode tap vnet_hdr')
    this.ip(`link set eth0 mtu ${mtu} up`)
    this.ip(`addr add ${address}/24 dev eth0`)
    return { kind: 'tap', namespace: this.path, name: 'eth0' }
  }

  [Symbol.dispose](): void {
    execFileSync('ip', ['netns', 'delete', this.name])
  }
}
