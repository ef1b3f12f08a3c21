import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { FileRepository } from '../test/support/file-repository.ts'
import { startNginx } from '../test/support/nginx.ts'
import { openProgram } from './program.ts'
import { finish, note } from './report.ts'
import { measureBusy } from './scale/busy.ts'
import { fill } from './scale/fill.ts'
import { measureLists } from './scale/lists.ts'
import { measureSingles } from './scale/singles.ts'
import { measureViews } from './scale/views.ts'

/** What a server with many repositories promises, as a client sees it that asks one thing after the other. */
const upstreamFiles = 20_000

const folder = await mkdtemp(join(tmpdir(), 'backhaul-bench-files-'))
try {
  note(`${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}`)
  const files = new FileRepository(folder)
  for (let number = 0; number < upstreamFiles; number += 1) await files.add(`${number}.bin`, randomBytes(4096))
  await files.writeManifest()
  await using nginx = await startNginx(folder)
  await using program = await openProgram()
  const filled = await fill(program)
  await measureLists(program, filled)
  await measureSingles(program, filled)
  await measureBusy(program, nginx.url)
  await measureViews(program, { folder, url: nginx.url })
  note(`\nmemory of all processes ${Math.round(program.memoryMegabytes())} MB`)
} finally {
  await rm(folder, { recursive: true })
}
finish()
