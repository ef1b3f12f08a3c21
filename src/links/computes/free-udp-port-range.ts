import { readFileSync } from 'node:fs'

/** What the kernel picks free ports from (Linux: ip(7), `ip_local_port_range`): nodes that share its network get those. */
export function freeUdpPortRange(): [first: number, last: number] {
  try {
    const [first, last] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').trim().split(/\s+/)
    return [Number(first), Number(last)]
  } catch {
    return [49_152, 65_535] // RFC 6335, section 6
  }
}
