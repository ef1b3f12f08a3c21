import { isIP } from 'node:net'
import { type Static, Type } from 'typebox'
import { invalidField } from '../../platform/errors.ts'
import { propertyChecker } from './check-properties.ts'

const mostAdapters = 32

const Interface = Type.Object(
  {
    name: Type.String({ pattern: '^eth(0|[1-9][0-9]?)$' }),
    addresses: Type.Optional(Type.Array(Type.String({ maxLength: 50 }), { maxItems: 64 })),
    mac_address: Type.Optional(Type.String({ pattern: '^[0-9a-fA-F][02468aceACE](:[0-9a-fA-F]{2}){5}$' })),
    mtu: Type.Optional(Type.Integer({ minimum: 68, maximum: 9198 })),
  },
  { additionalProperties: false },
)
const Route = Type.Object(
  { to: Type.String({ maxLength: 50 }), via: Type.String({ maxLength: 50 }) },
  { additionalProperties: false },
)
const Properties = Type.Object(
  {
    adapters: Type.Integer({ minimum: 0, maximum: mostAdapters }),
    interfaces: Type.Array(Interface, { maxItems: mostAdapters }),
    routes: Type.Array(Route, { maxItems: 256 }),
    startup_commands: Type.Array(Type.String({ minLength: 1, maxLength: 4096 }), { maxItems: 64 }),
  },
  { additionalProperties: false },
)
export type HostProperties = Static<typeof Properties>

const check = propertyChecker(Properties)
export const defaultHostProperties: HostProperties = { adapters: 1, interfaces: [], routes: [], startup_commands: [] }

/** @throws AppError `invalid` naming the property */
export function checkHostProperties(given: Readonly<Record<string, unknown>>): HostProperties {
  const properties = check({ ...defaultHostProperties, ...given })
  refuseOddInterfaces(properties)
  refuseOddRoutes(properties)
  return properties
}

function refuseOddInterfaces({ adapters, interfaces }: HostProperties): void {
  for (const [index, { name, addresses = [] }] of interfaces.entries()) {
    const field = `properties.interfaces[${index}]`
    if (Number(name.slice(3)) >= adapters) throw invalidField(`${field}.name`, `is beyond the last of ${adapters}`)
    const first = interfaces.findIndex((each) => each.name === name)
    if (first < index) throw invalidField(`${field}.name`, 'is given twice')
    const wrong = addresses.findIndex((address) => !isNetwork(address))
    if (wrong >= 0) throw invalidField(`${field}.addresses[${wrong}]`, 'must be an address with its prefix length')
  }
}

function refuseOddRoutes({ routes }: HostProperties): void {
  for (const [index, { to, via }] of routes.entries()) {
    const field = `properties.routes[${index}]`
    if (to !== 'default' && !isNetwork(to)) throw invalidField(`${field}.to`, 'must be "default" or a network')
    if (!isAddress(via)) throw invalidField(`${field}.via`, 'must be an IP address')
  }
}

/** An address and a prefix length, such as `10.0.0.1/24` (RFC 4632) or `fd00::1/64` (RFC 4291). */
function isNetwork(text: string): boolean {
  const [address = '', length = '', ...rest] = text.split('/')
  if (rest.length > 0 || !isAddress(address) || !/^\d{1,3}$/.test(length)) return false
  return Number(length) <= (isIP(address) === 4 ? 32 : 128)
}

/** Without a zone: those of this machine mean nothing in a node. */
function isAddress(text: string): boolean {
  return isIP(text) !== 0 && !text.includes('%')
}
