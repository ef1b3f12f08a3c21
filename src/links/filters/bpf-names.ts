/**
 * Names in expressions of pcap-filter(7). libpcap would ask the name service for a host or network that it does not
 * know, which can take long and makes a filter mean something else tomorrow: only addresses are taken.
 */
const keywords = new Set(
  `host net mask gateway port portrange proto protochain src dst and or not ether link fddi tr wlan ip ip6 arp rarp
  decnet tcp udp sctp icmp icmp6 igmp igrp pim vrrp carp ah esp atalk aarp lat moprc mopdl iso clnp esis es-is isis is-is
  l1 l2 iih lsp snp csnp psnp stp ipx netbeui broadcast multicast less greater len length inbound outbound ifindex vlan
  mpls pppoed pppoes geneve vxlan byte ppp slip raw radio
  icmptype icmpcode icmp-echoreply icmp-unreach icmp-sourcequench icmp-redirect icmp-echo icmp-routeradvert
  icmp-routersolicit icmp-timxceed icmp-paramprob icmp-tstamp icmp-tstampreply icmp-ireq icmp-ireqreply icmp-maskreq
  icmp-maskreply icmp6type icmp6code icmp6-destinationrunreach icmp6-packettoobig icmp6-timeexceeded
  icmp6-parameterproblem icmp6-echo icmp6-echoreply icmp6-multicastlistenerquery icmp6-multicastlistenerreportv1
  icmp6-multicastlistenerdone icmp6-routersolicit icmp6-routeradvert icmp6-neighborsolicit icmp6-neighboradvert
  icmp6-redirect icmp6-routerrenum icmp6-nodeinformationquery icmp6-nodeinformationresponse
  icmp6-ineighbordiscoverysolicit icmp6-ineighbordiscoveryadvert icmp6-multicastlistenerreportv2
  icmp6-homeagentdiscoveryrequest icmp6-homeagentdiscoveryreply icmp6-mobileprefixsolicit icmp6-mobileprefixadvert
  icmp6-certpathsolicit icmp6-certpathadvert icmp6-multicastrouteradvert icmp6-multicastroutersolicit
  icmp6-multicastrouterterm
  tcpflags tcp-fin tcp-syn tcp-rst tcp-push tcp-ack tcp-urg tcp-ece tcp-cwr`.split(/\s+/),
)

/** After these, names are those of services and protocols, which the machine's own files tell. */
const localNames = new Set(['port', 'portrange', 'proto', 'protochain'])
const addressNames = new Set(['host', 'net', 'gateway', 'src', 'dst'])

const word = /\\?[A-Za-z0-9][A-Za-z0-9_.:/-]*/g
const address =
  /^(?:0x[0-9a-f]+(?::\d)?|[0-9a-f]*:[0-9a-f:./]*|(?:[0-9a-f]{1,2}[.-]){5}[0-9a-f]{1,2}|(?:[0-9a-f]{4}\.){2}[0-9a-f]{4})$/i

/** The first name in an expression that would have to be looked up. */
export function findForeignName(expression: string): string | undefined {
  let isLocal = false
  for (const [text] of expression.matchAll(word)) {
    if (localNames.has(text)) isLocal = true
    else if (addressNames.has(text)) isLocal = false
    else if (!isLocal && isForeign(text)) return text
  }
  return undefined
}

/** What starts with a digit is a number or an IPv4 address, or the compiler refuses it. */
function isForeign(text: string): boolean {
  return !keywords.has(text) && !/^\d[\d./]*$/.test(text) && !text.startsWith('\\') && !address.test(text)
}
