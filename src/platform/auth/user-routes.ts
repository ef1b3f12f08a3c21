import { invalidField } from '../errors.ts'
import { type Route, route } from '../http/endpoint.ts'
import { indexBody, type PageRequest, pageOf } from '../http/paging.ts'
import { timestamp } from '../http/timestamps.ts'
import { listRequest } from '../search/list-request.ts'
import { type GlobalRight, globalRights } from './actor.ts'
import type { PersonalTokenRow, UserRow } from './tables.ts'
import { userEndpoints as endpoints } from './user-contract.ts'
import type { UserService } from './user-service.ts'

export function userRoutes(users: UserService, now: () => number): Route[] {
  return [
    route(endpoints.list, async ({ actor, query }) => {
      const request = listRequest(query, now())
      const { rows, ...counts } = await users.listUsers(actor, request)
      return indexBody(rows.map(presentUser), { ...counts, ...request })
    }),
    route(endpoints.current, async ({ actor }) => presentUser(await users.getUser(actor, actor.userId as number))),
    route(endpoints.create, async ({ actor, body }) => {
      return presentUser(await users.createUser(actor, { ...body, rights: wantedRights(body) ?? [] }))
    }),
    route(endpoints.show, async ({ actor, params }) => presentUser(await users.getUser(actor, params.id))),
    route(endpoints.update, async ({ actor, params, body }) => {
      return presentUser(await users.updateUser(actor, params.id, userUpdate(body)))
    }),
    route(endpoints.delete, async ({ actor, params }) => {
      const user = await users.getUser(actor, params.id)
      await users.deleteUser(actor, params.id)
      return presentUser(user)
    }),
    ...tokenRoutes(users, now),
  ]
}

function tokenRoutes(users: UserService, now: () => number): Route[] {
  return [
    route(endpoints.listTokens, async ({ actor, params, query }) => {
      const tokens = await users.listTokens(actor, params.user_id)
      return sliced(
        tokens.map((token) => presentToken(token, now())),
        query,
      )
    }),
    route(endpoints.createToken, async ({ actor, params, body }) => {
      const expiresAt = parseExpiry(body.expires_at ?? null, now())
      const { row, token } = await users.createToken(actor, { userId: params.user_id, name: body.name, expiresAt })
      return { ...presentToken(row, now()), token_value: token }
    }),
    route(endpoints.deleteToken, async ({ actor, params }) => {
      const tokens = await users.listTokens(actor, params.user_id)
      await users.deleteToken(actor, params.user_id, params.id)
      return tokens.filter(({ id }) => id === params.id).map((token) => presentToken(token, now()))[0] ?? {}
    }),
  ]
}

/** A person has few tokens: a page is cut from the whole list. */
function sliced(rows: readonly object[], query: PageRequest): object {
  const page = pageOf(query)
  const end = page.limit === undefined ? undefined : page.offset + page.limit
  return indexBody(rows.slice(page.offset, end), { total: rows.length, page })
}

function userUpdate(body: {
  login?: string
  password?: string
  current_password?: string
  admin?: boolean
  rights?: GlobalRight[]
  disabled?: boolean
}) {
  const rights = wantedRights(body)
  return {
    ...(body.login === undefined ? {} : { login: body.login }),
    ...(body.password === undefined ? {} : { password: body.password }),
    ...(body.current_password === undefined ? {} : { currentPassword: body.current_password }),
    ...(rights === undefined ? {} : { rights }),
    ...(body.disabled === undefined ? {} : { isDisabled: body.disabled }),
  }
}

/** Foreman's clients say `admin: true`; ours may name rights. Undefined when neither was said. */
function wantedRights({ admin, rights }: { admin?: boolean; rights?: GlobalRight[] }): GlobalRight[] | undefined {
  if (admin === undefined) return rights
  const others = (rights ?? []).filter((right) => right !== 'admin')
  return admin ? ['admin', ...others] : others
}

function parseExpiry(text: string | null, now: number): Date | null {
  if (text === null) return null
  const date = new Date(text)
  if (Number.isNaN(date.getTime()) || date.getUTCFullYear() > 9999)
    throw invalidField('expires_at', 'must be a time such as 2030-01-31T12:00:00Z')
  if (date.getTime() <= now) throw invalidField('expires_at', 'must be in the future')
  return date
}

function presentUser({ id, login, rights, is_disabled, created_at, updated_at }: UserRow): object {
  return {
    id,
    login,
    admin: rights.includes('admin'),
    rights: globalRights.filter((right) => rights.includes(right)),
    disabled: is_disabled,
    created_at: timestamp(created_at),
    updated_at: timestamp(updated_at),
  }
}

function presentToken(
  { id, name, user_id, created_at, expires_at, last_used_at }: PersonalTokenRow,
  now: number,
): object {
  return {
    id,
    name,
    user_id,
    'active?': expires_at === null || expires_at.getTime() > now,
    created_at: timestamp(created_at),
    expires_at: timestamp(expires_at),
    last_used_at: timestamp(last_used_at),
  }
}
