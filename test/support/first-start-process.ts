// A process that does what the first start does with users and keys: it says which password file it made.
import { ensureAdministrator, openSecretBox } from '../../src/platform/auth/first-start.ts'
import type { AuthTables } from '../../src/platform/auth/tables.ts'
import { dataFolder } from '../../src/platform/data-folder/data-folder.ts'
import { Database } from '../../src/platform/db/database.ts'
import { createLogger } from '../../src/platform/log.ts'

const [connectionString = '', path = ''] = process.argv.slice(2)
await using database = new Database({ connection: { connectionString }, logger: createLogger('silent') })
const db = database.tables<AuthTables>()
const folder = dataFolder(path)
const box = await openSecretBox({ db, secretKey: undefined, keyFile: folder.secretKey })
const made = await ensureAdministrator({ db, adminPassword: undefined, passwordFile: folder.adminPassword })
process.stdout.write(JSON.stringify({ made: made ?? null, sealed: box.seal('word', 'test') }))
