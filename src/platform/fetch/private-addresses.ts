import { BlockList, isIP } from 'node:net'

/** Networks that are not the public internet: RFC 6890 and its registries, multicast, and what embeds addresses. */
const privateNetworks = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/96', // unspecified, loopback, IPv4-compatible
  '::ffff:0:0/96', // IPv4-mapped
  '64:ff9b:1::/48', // local translation
  '100::/64',
  '2001::/23', // Teredo and other protocols
  '2001:db8::/32',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
] as const

/** Prefixes of IPv6 addresses that stand for an IPv4 address; the groups of digits are its two halves. */
const translated = [/^64:ff9b::([0-9a-f]{1,4}):([0-9a-f]{1,4})$/, /^2002:([0-9a-f]{1,4}):([0-9a-f]{1,4}):/]

/** A list for each family: in one list an IPv4 address would match the network of IPv4-mapped ones. */
const blocked = { ipv4: new BlockList(), ipv6: new BlockList() }
for (const network of privateNetworks) {
  const [address = '', length] = network.split('/')
  const family = address.includes(':') ? 'ipv6' : 'ipv4'
  blocked[family].addSubnet(address, Number(length), family)
}

/**
 * True for the addresses that a public host cannot have: private, loopback, link-local, unique-local, carrier-grade
 * NAT, IPv4-mapped, multicast and reserved ones, and IPv6 forms of private IPv4 addresses. Also true for what is no
 * address at all.
 */
export function isPrivateAddress(text: string): boolean {
  const address = text.replace(/^\[(.*)\]$/, '$1').replace(/%.*$/, '')
  const family = isIP(address)
  if (family === 0) return true
  if (family === 4) return blocked.ipv4.check(address, 'ipv4')
  return blocked.ipv6.check(address, 'ipv6') || isPrivateTranslation(address)
}

function isPrivateTranslation(address: string): boolean {
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1)
  for (const pattern of translated) {
    const [, high, low] = pattern.exec(canonical) ?? []
    if (high === undefined || low === undefined) continue
    const value = Number.parseInt(high, 16) * 65_536 + Number.parseInt(low, 16)
    return isPrivateAddress([24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.'))
  }
  // A translation prefix whose last groups were shortened away still belongs to an address of zeros.
  return /^(64:ff9b:|2002:)/.test(canonical)
}
