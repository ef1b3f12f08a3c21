import { Command } from 'commander'
import type { ApiClient } from '../client/api-client.ts'
import { userEndpoints } from '../platform/auth/user-contract.ts'
import { type CliEnvironment, connect, connectionHelp, withConnection } from './connection.ts'
import { getUserByLogin } from './find-user.ts'
import { print, printTable } from './print.ts'

interface TokenOptions {
  readonly url: string
  readonly login: string
  readonly user?: string
  readonly expires?: string
}

/** `backhaul token …`: what programs log in with. */
export function tokenCommands(env: CliEnvironment): Command {
  const token = new Command('token')
    .description('create, list and revoke personal tokens')
    .addHelpText('after', connectionHelp)
  for (const command of [createCommand(env), listCommand(env), revokeCommand(env)]) token.addCommand(command)
  return token
}

function tokenCommand(name: string, env: CliEnvironment): Command {
  return withConnection(new Command(name), env).option('--user <name>', 'whose token; default: who asks')
}

function createCommand(env: CliEnvironment): Command {
  return tokenCommand('create', env)
    .description('create a token and print it, which is the only time it is shown')
    .argument('<name>', 'what it is for')
    .option('--expires <time>', 'until when it is good, such as 2030-01-31')
    .action(async (name: string, options: TokenOptions) => {
      const client = connect(options, env)
      const body = { name, expires_at: options.expires ?? null }
      const reply = await client.call(userEndpoints.createToken, {
        params: { user_id: await whose(client, options) },
        body,
      })
      print((reply as { token_value: string }).token_value)
    })
}

function listCommand(env: CliEnvironment): Command {
  return tokenCommand('list', env)
    .description('list tokens')
    .action(async (options: TokenOptions) => {
      const client = connect(options, env)
      const reply = await client.call(userEndpoints.listTokens, {
        params: { user_id: await whose(client, options) },
        query: { full_result: true },
      })
      printTable((reply as { results: [] }).results, ['id', 'name', 'created_at', 'expires_at', 'last_used_at'])
    })
}

function revokeCommand(env: CliEnvironment): Command {
  return tokenCommand('revoke', env)
    .description('make a token useless')
    .argument('<id>', 'as `token list` shows it', Number)
    .action(async (id: number, options: TokenOptions) => {
      const client = connect(options, env)
      await client.call(userEndpoints.deleteToken, { params: { user_id: await whose(client, options), id } })
      print(`Revoked token ${id}`)
    })
}

async function whose(client: ApiClient, { user }: TokenOptions): Promise<number> {
  if (user !== undefined) return (await getUserByLogin(client, user)).id
  return ((await client.call(userEndpoints.current)) as { id: number }).id
}
