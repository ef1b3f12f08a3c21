import { Command } from 'commander'
import { serve } from './serve.ts'
import { version } from './version.ts'

const program = new Command('backhaul')
  .description('Network labs with true link faults, and verified software repositories')
  .version(version)
program
  .command('serve')
  .description('start the server in the foreground')
  .action(async () => {
    process.exitCode = await serve(process.env)
  })
await program.parseAsync()
