import type { ApiClient } from '../client/api-client.ts'
import { userEndpoints } from '../platform/auth/user-contract.ts'
import { notFound } from '../platform/errors.ts'

export interface ShownUser {
  readonly id: number
  readonly login: string
  readonly rights: readonly string[]
  readonly disabled: boolean
  readonly created_at: string
}

export async function listUsers(client: ApiClient): Promise<readonly ShownUser[]> {
  const { results } = (await client.call(userEndpoints.list, { query: { full_result: true } })) as {
    results: ShownUser[]
  }
  return results
}

/** @throws AppError `not_found` */
export async function getUserByLogin(client: ApiClient, login: string): Promise<ShownUser> {
  const user = (await listUsers(client)).find((candidate) => candidate.login.toLowerCase() === login.toLowerCase())
  if (user === undefined) throw notFound('user', login)
  return user
}
