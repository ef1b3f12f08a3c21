/** The set that our pictures are, where GNS3 has several to choose from. */
export const theme = 'Classic'

interface Size {
  readonly width: number
  readonly height: number
}

/** Our pictures by their ids, in the sizes in which they are drawn. */
const sizes: ReadonlyMap<string, Size> = new Map([
  [':/symbols/cloud.svg', { width: 159, height: 71 }],
  [':/symbols/computer.svg', { width: 65, height: 59 }],
  [':/symbols/ethernet_switch.svg', { width: 72, height: 32 }],
  [':/symbols/hub.svg', { width: 72, height: 32 }],
  [':/symbols/router.svg', { width: 66, height: 45 }],
  [':/symbols/server.svg', { width: 45, height: 65 }],
  [':/symbols/unknown.svg', { width: 65, height: 59 }],
  [':/symbols/vpcs_guest.svg', { width: 65, height: 59 }],
])

export function sizeOfSymbol(id: unknown): Size | undefined {
  return typeof id === 'string' ? sizes.get(plainSymbolId(id)) : undefined
}

/** GNS3 has ids with the name of the set and, from before there were several, without. */
export function plainSymbolId(id: string): string {
  return id.replace(/^:\/symbols\/classic\//i, ':/symbols/')
}

/** Which picture is for what, by set: `{"Classic": {"cloud": ":/symbols/cloud.svg"}}`. */
export function defaultSymbols(): Record<string, Record<string, string>> {
  return { [theme]: Object.fromEntries([...sizes.keys()].map((id) => [/(\w+)\.svg$/.exec(id)?.[1], id])) }
}
