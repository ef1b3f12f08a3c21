import { lookup as lookUp } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { isPrivateAddress } from './private-addresses.ts'

/** A connection that is not made because it would lead into a private network. */
export class PrivateAddressError extends Error {
  readonly code = 'ERR_PRIVATE_ADDRESS'

  constructor(host: string) {
    super(`the address of ${host} is private`)
    this.name = 'PrivateAddressError'
  }
}

/** True for a host that is written as a private address or is always this machine (RFC 6761 section 6.3). */
export function isPrivateHost(host: string): boolean {
  const name = host.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
  if (isIP(name) !== 0) return isPrivateAddress(name)
  return /(^|\.)localhost$/i.test(name)
}

/**
 * Looks a name up and gives only its public addresses. The socket connects to what this gives and nothing else, so
 * a name that changes its addresses between a check and the connection gains nothing.
 */
export const lookUpPublic: LookupFunction = (host, options, done) => {
  lookUp(host, { ...options, all: true }, (error, found) => {
    if (error !== null) return done(error, [])
    const [first, ...others] = found.filter(({ address }) => !isPrivateAddress(address))
    if (first === undefined) return done(new PrivateAddressError(host), [])
    if (options.all === true) return done(null, [first, ...others])
    return done(null, first.address, first.family)
  })
}
