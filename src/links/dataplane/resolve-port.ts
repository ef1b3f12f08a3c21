import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { AppError } from '../../platform/errors.ts'
import type { Address, PortSpec, UdpPortSpec } from './protocol.ts'

/** Checks what a port says of itself and looks up host names in it. Throws `invalid` that says what is wrong. */
export async function resolvePort(port: PortSpec): Promise<PortSpec> {
  return port.kind === 'udp' ? resolveUdpPort(port) : port
}

async function resolveUdpPort(port: UdpPortSpec): Promise<UdpPortSpec> {
  const [local, peer] = await Promise.all([resolveAddress(port.local, 0), resolveAddress(port.peer, 1)])
  return { ...port, local, peer }
}

async function resolveAddress({ host, port }: Address, minimum: number): Promise<Address> {
  if (!Number.isInteger(port) || port < minimum || port > 65_535) {
    throw new AppError('invalid', `Cannot use port ${port} of "${host}": it must be from ${minimum} to 65535`)
  }
  return { host: isIP(host) === 0 ? await resolveHost(host) : host, port }
}

async function resolveHost(host: string): Promise<string> {
  try {
    const { address } = await lookup(host)
    return address
  } catch (error) {
    throw new AppError('invalid', `Cannot use host "${host}": its address is not known`, { cause: error })
  }
}
