import { execFile } from 'node:child_process'
import { AppError } from '../../platform/errors.ts'

export interface NetworkPlan {
  readonly interfaces: readonly {
    readonly name: string
    readonly macAddress: string
    readonly mtuBytes: number
    /** Each with its prefix length. */
    readonly addresses: readonly string[]
  }[]
  readonly routes: readonly { readonly to: string; readonly via: string }[]
}

const timeoutMs = 10_000

/**
 * Makes the interfaces of a network namespace, which it does from outside: TAP devices whose other end the data plane
 * takes, without carrier until then. All of the plan must have been checked: it is written into a script of `ip -batch`.
 *
 * @param pid a process in that namespace
 * @throws AppError `conflict` with what `ip` said
 */
export function configureNetwork(pid: number, plan: NetworkPlan): Promise<void> {
  const command = ['--target', String(pid), '--net', '--', 'ip', '-batch', '-']
  return new Promise((resolve, reject) => {
    const child = execFile('nsenter', command, { timeout: timeoutMs, cwd: '/' }, (error, _stdout, stderr) => {
      if (error === null) resolve()
      else reject(new AppError('conflict', `Cannot set up the host's network: ${stderr.trim() || error.message}`))
    })
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(batchOf(plan))
  })
}

function batchOf({ interfaces, routes }: NetworkPlan): string {
  const lines = ['link set lo up']
  for (const { name, macAddress, mtuBytes, addresses } of interfaces) {
    lines.push(
      `tuntap add dev ${name} mode tap vnet_hdr`,
      `link set dev ${name} address ${macAddress} mtu ${mtuBytes}`,
      // an address must be usable as soon as the host runs, not after a second of asking whether others have it
      ...addresses.map((address) => `address add ${address} dev ${name}${address.includes(':') ? ' nodad' : ''}`),
      `link set dev ${name} up`,
    )
  }
  for (const { to, via } of routes) lines.push(`route add ${to} via ${via}`)
  return `${lines.join('\n')}\n`
}
