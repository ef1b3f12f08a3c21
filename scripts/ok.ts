// `npm run ok`: whether the tree is good, in seconds. `npm test` says more and takes longer.
import { runStep, staticChecks } from './steps.ts'

const unitTests = {
  name: 'unit tests',
  command: ['node', '--test', '--test-reporter=dot', 'src/**/*.test.ts', 'test/architecture.test.ts'],
} as const

const results = await Promise.all([...staticChecks.map((step) => runStep(step)), runStep(unitTests)])
process.exitCode = results.includes(false) ? 1 : 0
