import { mkdtempDisposable } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { startNginx } from '../test/support/nginx.ts'
import { openProgram } from './program.ts'
import { finish, note } from './report.ts'
import { measureDistribution } from './yum/measure-distribution.ts'
import { measurePackages } from './yum/measure-packages.ts'

/** What repositories of packages promise at the size of a whole distribution, against the programs that are used for it today. */
await using folder = await mkdtempDisposable(join(tmpdir(), 'backhaul-bench-yum-'))
note(`${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}`)
const parts = process.argv.slice(2)
for (const [name, measure] of Object.entries({ distribution: measureDistribution, packages: measurePackages })) {
  if (parts.length > 0 && !parts.includes(name)) continue
  await using nginx = await startNginx(folder.path)
  await using program = await openProgram()
  await measure({ program, folder: folder.path, url: nginx.url })
}
finish()
