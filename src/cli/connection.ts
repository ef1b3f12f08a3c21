import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { ApiClient, basicAuthorization } from '../client/api-client.ts'
import { AppError } from '../platform/errors.ts'

export type CliEnvironment = Readonly<Record<string, string | undefined>>

interface ConnectionOptions {
  readonly url: string
  readonly login: string
}

/** Adds the options that say which server is meant and who asks. */
export function withConnection(command: Command, env: CliEnvironment): Command {
  return command
    .option('--url <url>', 'where the API listens (BACKHAUL_URL)', env['BACKHAUL_URL'] ?? 'http://127.0.0.1:3080')
    .option('--login <name>', 'who asks (BACKHAUL_USER)', env['BACKHAUL_USER'] ?? 'admin')
}

export const connectionHelp = `
The password is that of BACKHAUL_PASSWORD, or a token that of BACKHAUL_TOKEN. Without either, the file that the
first start wrote is read: <BACKHAUL_DATA>/admin-password.`

/** @throws AppError `invalid` when there is no password to be had */
export function connect({ url, login }: ConnectionOptions, env: CliEnvironment): ApiClient {
  const token = env['BACKHAUL_TOKEN']
  if (token !== undefined) return new ApiClient({ url, authorization: `Bearer ${token}` })
  return new ApiClient({
    url,
    authorization: basicAuthorization(login, env['BACKHAUL_PASSWORD'] ?? readPasswordFile(env)),
  })
}

function readPasswordFile(env: CliEnvironment): string {
  const path = join(env['BACKHAUL_DATA'] ?? './backhaul-data', 'admin-password')
  if (existsSync(path)) return readFileSync(path, 'utf8').trim()
  throw new AppError('invalid', `Cannot log in: set BACKHAUL_PASSWORD or BACKHAUL_TOKEN (there is no ${path})`)
}
