import { resolve } from 'node:path'

export interface Listen {
  readonly host: string
  readonly port: number
}

const roleNames = ['api', 'content', 'worker', 'links'] as const
export type Role = (typeof roleNames)[number]

export function parseText(text: string): string | undefined {
  return text === '' ? undefined : text
}

export function parsePath(text: string): string | undefined {
  return text === '' || text.includes('\0') ? undefined : resolve(text)
}

/** `host:port`, an IPv6 address in brackets: `[::1]:3080`. */
export function parseListen(text: string): Listen | undefined {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9_.-]+)):(\d{1,5})$/.exec(text)
  const port = Number(match?.[3])
  const host = match?.[1] ?? match?.[2]
  return host !== undefined && port <= 65_535 ? { host, port } : undefined
}

/** From `first` to `last`, both included. */
export interface PortRange {
  readonly first: number
  readonly last: number
}

export function parsePortRange(text: string): PortRange | undefined {
  const [, first, last] = (/^(\d{1,5})-(\d{1,5})$/.exec(text) ?? []).map(Number)
  if (first === undefined || last === undefined) return undefined
  return first >= 1 && first <= last && last <= 65_535 ? { first, last } : undefined
}

/** An http or https URL without query, user or fragment; a trailing slash is taken off. */
export function parseUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  const isPlain = url.search === '' && url.hash === '' && url.username === '' && url.password === ''
  if (!/^https?:$/.test(url.protocol) || !isPlain) return undefined
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '')
}

/** Only its scheme is looked at: what else it may hold, such as folders of sockets, the database's client knows. */
export function parseDatabaseUrl(text: string): string | undefined {
  return /^postgres(ql)?:\/\/./.test(text) ? text : undefined
}

export function parseId(text: string): number | undefined {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined
}

export function parseOneOf<const T extends string>(values: readonly T[]): (text: string) => T | undefined {
  return (text) => values.find((value) => value === text)
}

export function parseRoles(text: string): ReadonlySet<Role> | undefined {
  const names = text.split(',').map((name) => name.trim())
  const roles = names.map((name) => roleNames.find((role) => role === name))
  return roles.includes(undefined) ? undefined : new Set(roles as Role[])
}

export function parseStorage(text: string): 'file' | undefined {
  return text === 'file' ? 'file' : undefined
}

export function parseOrigins(text: string): readonly string[] | undefined {
  const origins = text
    .split(',')
    .map((origin) => origin.trim())
    .filter((origin) => origin !== '')
  return origins.every(isOrigin) ? origins : undefined
}

function isOrigin(text: string): boolean {
  return text === '*' || (URL.canParse(text) && new URL(text).origin === text)
}
