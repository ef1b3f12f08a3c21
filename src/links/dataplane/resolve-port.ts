import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { AppError } from '../../platform/errors.ts'
import type { Address, PortSpec } from './protocol.ts'

/** What the kernel takes as the name of an interface (dev_valid_name: fewer than IFNAMSIZ bytes). */
const interfaceName = /^(?!\.{1,2}$)[^/:%\s\0]+$/
const maxNameBytes = 15

/** Checks a port, and looks up host names in its addresses. Throws `invalid` that says what is wrong. */
export async function resolvePort(port: PortSpec): Promise<PortSpec> {
  switch (port.kind) {
    case 'udp': {
      const [local, peer] = await Promise.all([resolveAddress(port.local, 0), resolveAddress(port.peer, 1)])
      return { ...port, local, peer }
    }
    case 'tap':
    case 'interface':
      checkInterfaceName(port.name)
      return port
    case 'bridge':
      return port
  }
}

function checkInterfaceName(name: string): void {
  if (interfaceName.test(name) && Buffer.byteLength(name) <= maxNameBytes) return
  throw new AppError('invalid', `Cannot use interface "${name}": it must be a name of 1 to 15 characters`)
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
