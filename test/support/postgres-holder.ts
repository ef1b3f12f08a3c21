// Holds an embedded PostgreSQL for the tests of one process: tells its URL, and ends with it when standard input closes.
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '../../src/platform/db/embedded/embedded-postgres.ts'
import { createLogger } from '../../src/platform/log.ts'

const folder = await mkdtemp(join(tmpdir(), 'backhaul-test-'))
{
  await using server = await startEmbeddedPostgres({ folder: join(folder, 'postgres'), logger: createLogger('fatal') })
  const { host, port, user, database } = server.connection
  process.stdout.write(`postgresql://${user}@/${database}?host=${encodeURIComponent(host)}&port=${port}\n`)
  process.stdin.resume()
  await once(process.stdin, 'close')
}
await rm(folder, { recursive: true, force: true })
