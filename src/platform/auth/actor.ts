import { AppError } from '../errors.ts'

/** Rights that hold everywhere, whatever organization or project is concerned. */
export const globalRights = ['admin', 'labs.host'] as const
export type GlobalRight = (typeof globalRights)[number]

/** Who a request speaks for. */
export interface Actor {
  /** `undefined` for a caller who has not logged in. */
  readonly userId: number | undefined
  readonly login: string
  readonly rights: ReadonlySet<GlobalRight>
}

export const anonymous: Actor = { userId: undefined, login: 'anonymous', rights: new Set() }

/** What the server does by itself. */
export const system: Actor = { userId: undefined, login: 'system', rights: new Set(['admin']) }

/** Administrators have every right. */
export function hasRight(actor: Actor, right: GlobalRight): boolean {
  return actor.rights.has('admin') || actor.rights.has(right)
}

/** @throws AppError `forbidden` that names the missing right */
export function requireRight(actor: Actor, right: GlobalRight): void {
  if (!hasRight(actor, right)) throw forbidden(right)
}

export function forbidden(permission: string): AppError {
  return new AppError('forbidden', 'Access denied', { fields: { permissions: [permission] } })
}
