/** What versions of packages are compared by, in this order. */
export interface Evr {
  readonly epoch: number
  readonly version: string
  readonly release: string
}

/** Reads `epoch:version-release`; without an epoch it is 0, and what is missing else is empty. */
export function parseEvr(text: string): Evr {
  const { epoch, version, release } = splitEvr(text)
  return { epoch: Number(epoch), version, release }
}

/** The parts as they are written. What stands before a colon and is no number belongs to the version. */
export function splitEvr(text: string): { readonly epoch: string; readonly version: string; readonly release: string } {
  const epoch = /^(\d*):/.exec(text)?.[1]
  const rest = epoch === undefined ? text : text.slice(epoch.length + 1)
  const dash = rest.lastIndexOf('-')
  const [version, release] = dash === -1 ? [rest, ''] : [rest.slice(0, dash), rest.slice(dash + 1)]
  return { epoch: epoch || '0', version, release }
}
