import { Command, CommanderError } from 'commander'
import { tokenCommands } from './cli/token-commands.ts'
import { userCommands } from './cli/user-commands.ts'
import { readConfig } from './config.ts'
import { options } from './config-options.ts'
import { AppError, messageOf } from './platform/errors.ts'
import { backUp, migrateNow, restoreFrom } from './server/backup-commands.ts'
import { serve } from './server/serve.ts'
import { version } from './version.ts'

const { env } = process

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

function createProgram(): Command {
  const program = new Command('backhaul')
    .description('Network labs with true link faults, and verified software repositories, in one server')
    .version(version)
    .exitOverride()
  program
    .command('serve')
    .description('run the server in the foreground, until SIGTERM or SIGINT')
    .addHelpText('after', settingsHelp())
    .action(async () => {
      process.exitCode = await serve(env)
    })
  program
    .command('migrate')
    .description('bring the database of a stopped server to the form of this version')
    .action(async () => {
      const applied = await migrateNow(readConfig(env))
      print(applied.length === 0 ? 'The database is up to date.' : `Applied ${applied.join(', ')}.`)
    })
  program
    .command('backup')
    .description('write database and blobs of a server, running or not, to one tar file; the secret key is not in it')
    .argument('<file>')
    .action(async (file: string) => print(`Wrote ${file}: ${await backUp(readConfig(env), file)}.`))
  program
    .command('restore')
    .description('fill an empty, stopped server from a backup')
    .argument('<file>')
    .action(async (file: string) => print(`Restored ${await restoreFrom(readConfig(env), file)}.`))
  program.addCommand(userCommands(env))
  program.addCommand(tokenCommands(env))
  return program
}

function settingsHelp(): string {
  const width = Math.max(...Object.values(options).map(({ name }) => name.length))
  const lines = Object.values(options).map(
    ({ name, summary }) => `  ${name.padEnd(width)}  ${summary.replaceAll('`', '')}`,
  )
  return `\nSettings are environment variables:\n${lines.join('\n')}`
}

try {
  await createProgram().parseAsync()
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode
  } else {
    // what is no AppError is a bug, and its trace helps whoever mends it
    process.stderr.write(`${error instanceof AppError ? messageOf(error) : (error as Error).stack}\n`)
    process.exitCode = 1
  }
}
