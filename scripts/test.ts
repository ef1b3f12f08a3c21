// `npm test`: everything. The database tests run on the embedded PostgreSQL, then once more on the oldest that is supported.
import { lacksOldestPostgres, startOldestPostgres } from '../test/support/oldest-postgres.ts'
import { runStep, type Step, staticChecks } from './steps.ts'

const allTests = ['src/**/*.test.ts', 'test/**/*.test.ts']
const databaseTests = ['src/platform/tasks/*.test.ts', 'src/platform/auth/*.test.ts', 'test/integration/*.test.ts']

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
  const step = tests('database tests on another PostgreSQL', databaseTests, { BACKHAUL_DATABASE_URL: server.url })
  results.push(await runStep(step, { isShown: true }))
} else {
  console.log(`skipped database tests on another PostgreSQL: ${lacksOldestPostgres}`)
}
process.exitCode = results.includes(false) ? 1 : 0
