import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { type GlobalRight, globalRights } from '../platform/auth/actor.ts'
import { userEndpoints } from '../platform/auth/user-contract.ts'
import { AppError } from '../platform/errors.ts'
import { type CliEnvironment, connect, connectionHelp, withConnection } from './connection.ts'
import { getUserByLogin, listUsers } from './find-user.ts'
import { print, printTable } from './print.ts'

interface Connection {
  readonly url: string
  readonly login: string
}

/** `backhaul user …`: who may log in. */
export function userCommands(env: CliEnvironment): Command {
  const user = new Command('user')
    .description('create, list, change and delete users')
    .addHelpText('after', connectionHelp)
  user.addCommand(listCommand(env))
  user.addCommand(addCommand(env))
  user.addCommand(passwordCommand(env))
  user.addCommand(removeCommand(env))
  return user
}

function listCommand(env: CliEnvironment): Command {
  return withConnection(new Command('list').description('list all users'), env).action(async (options: Connection) => {
    printTable([...(await listUsers(connect(options, env)))] as never, [
      'id',
      'login',
      'rights',
      'disabled',
      'created_at',
    ])
  })
}

interface AddOptions extends Connection {
  readonly right: readonly string[]
  readonly passwordFile?: string
}

function addCommand(env: CliEnvironment): Command {
  const command = new Command('add')
    .description('create a user; prints a random password unless one is given')
    .argument('<name>', 'what the user logs in with')
    .option(
      '--right <right>',
      `a global right, repeatable: ${globalRights.join(', ')}`,
      (right, all: string[]) => [...all, right],
      [],
    )
    .option('--password-file <file>', 'a file whose first line is the password')
  return withConnection(command, env).action(async (name: string, options: AddOptions) => {
    const { password, isRandom } = choosePassword(options.passwordFile)
    const rights = options.right.map(parseRight)
    await connect(options, env).call(userEndpoints.create, { body: { login: name, password, rights } })
    print(isRandom ? `Created ${name} with the password ${password}` : `Created ${name}`)
  })
}

function passwordCommand(env: CliEnvironment): Command {
  const command = new Command('password')
    .description('set the password of a user; prints a random one unless one is given')
    .argument('<name>')
    .option('--password-file <file>', 'a file whose first line is the password')
  return withConnection(command, env).action(async (name: string, options: AddOptions) => {
    const client = connect(options, env)
    const { password, isRandom } = choosePassword(options.passwordFile)
    const { id } = await getUserByLogin(client, name)
    await client.call(userEndpoints.update, { params: { id }, body: { password } })
    print(isRandom ? `The password of ${name} is now ${password}` : `The password of ${name} is changed`)
  })
}

function removeCommand(env: CliEnvironment): Command {
  const command = new Command('remove').description('delete a user').argument('<name>')
  return withConnection(command, env).action(async (name: string, options: Connection) => {
    const client = connect(options, env)
    const { id } = await getUserByLogin(client, name)
    await client.call(userEndpoints.delete, { params: { id } })
    print(`Deleted ${name}`)
  })
}

function choosePassword(file: string | undefined): { password: string; isRandom: boolean } {
  if (file === undefined) return { password: randomBytes(15).toString('base64url'), isRandom: true }
  return { password: readFileSync(file, 'utf8').split(/\r?\n/, 1)[0] as string, isRandom: false }
}

function parseRight(text: string): GlobalRight {
  const right = globalRights.find((name) => name === text)
  if (right === undefined)
    throw new AppError('invalid', `There is no right "${text}": choose from ${globalRights.join(', ')}`)
  return right
}
