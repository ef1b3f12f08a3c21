// `npm test`: everything. The database tests run on the embedded PostgreSQL, then once more on the oldest that is supported.
import { glob } from 'node:fs/promises'
import { lacksOldestPostgres, startOldestPostgres } from '../test/support/oldest-postgres.ts'
import { runStep, type Step, staticChecks } from './steps.ts'

const allTests = ['src/**/*.test.ts', 'test/**/*.test.ts']
const databaseTests = ['src/platform/tasks/*.test.ts', 'src/platform/auth/*.test.ts', 'test/integration/*.test.ts']
/** These take long, and ask the database nothing that others do not. */
const oncePerRun = [
  'killed-*',
  'processes-*',
  'demo',
  'command-line',
  'on-demand',
  'file-faults',
  'file-listings',
  'full-disk',
]

async function findTests(patterns: readonly string[], except: readonly string[]): Promise<string[]> {
  const exclude = except.map((name) => `test/integration/${name}.test.ts`)
  return Array.fromAsync(glob([...patterns], { exclude }))
}

function tests(name: string, files: readonly string[], env: Step['env'] = {}): Step {
  return {
    name,
    env,
    command: ['node', '--test', '--test-concurrency=2', '--test-timeout=180000', '--test-reporter=spec', ...files],
  }
}

const results: boolean[] = []
for (const step of staticChecks) results.push(await runStep(step))
results.push(await runStep(tests('all tests', allTests), { isShown: true }))

if (lacksOldestPostgres === false) {
  await using server = await startOldestPostgres()
  const files = await findTests(databaseTests, oncePerRun)
  const step = tests('database tests on another PostgreSQL', files, { BACKHAUL_DATABASE_URL: server.url })
  results.push(await runStep(step, { isShown: true }))
} else {
  console.log(`skipped database tests on another PostgreSQL: ${lacksOldestPostgres}`)
}
process.exitCode = results.includes(false) ? 1 : 0
