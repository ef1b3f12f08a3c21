import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { buildRpms } from '../../test/support/rpm-fixtures.ts'
import { form, multipart } from '../../test/support/uploads.ts'
import type { BenchProgram } from '../program.ts'
import { claim, note } from '../report.ts'
import { Client, duration, percentiles } from '../scale/client.ts'
import { listDebianPackages } from './debian-packages.ts'
import { makeMetadata } from './made-metadata.ts'
import { createRepository, timeTask } from './repositories.ts'
import { writeRepository } from './write-repository.ts'

/** So many packages a distribution has, and so many more the next day. */
const packages = 60_000
const newPackages = 100
/** Somebody looks at lists meanwhile, so often. */
const askEveryMs = 50
/** How much memory is in use is asked seldom: to tell it stops every process for a moment. */
const watchEveryMs = 500

export interface Bench {
  readonly program: BenchProgram
  /** What nginx serves. */
  readonly folder: string
  readonly url: string
}

/** Syncs a whole distribution on demand, and adds one package to it. */
export async function measureDistribution({ program, folder, url }: Bench): Promise<void> {
  const listed = listDebianPackages(packages + newPackages)
  await writeRepository(folder, makeMetadata(listed.slice(0, packages)))
  const repository = await createRepository(program, { url, download_policy: 'on_demand', mirror_on_sync: false })
  const sync = () => timeTask(program, `/content/api/repositories/${repository.id}/sync`)
  await measure(program, { what: `first sync of ${packages} packages`, atMost: 25 }, sync)
  await measure(program, { what: 'unchanged', atMost: 0.1 }, sync)
  await writeRepository(folder, makeMetadata(listed))
  await measure(program, { what: `${newPackages} packages more`, atMost: 4 }, sync)

  const [path = ''] = await buildRpms(join(folder, 'one'), { name: 'one-more' })
  const parts = [['content', await readFile(path), 'one-more.rpm']] as const
  await measure(program, { what: 'one package uploaded and published', atMost: 2 }, () =>
    timed(async () => {
      const address = `/content/api/repositories/${repository.id}/upload_content`
      const { status, body } = await program.server.ask(address, {
        method: 'POST',
        body: form(parts),
        headers: multipart,
      })
      if (status !== 200) throw new Error(JSON.stringify(body))
    }),
  )
}

async function timed(work: () => Promise<void>): Promise<number> {
  return (await duration(work)) / 1000
}

async function measure(
  program: BenchProgram,
  { what, atMost }: { readonly what: string; readonly atMost: number },
  work: () => Promise<number>,
): Promise<void> {
  let peak = 0
  const watch = setInterval(() => {
    peak = Math.max(peak, program.memoryMegabytes())
  }, watchEveryMs)
  const isOver = new AbortController()
  const asked = ['/content/api/repositories', '/readyz'].map((path) => askOften(program, path, isOver.signal))
  const seconds = await work()
  isOver.abort()
  const [lists = [], ready = []] = await Promise.all(asked)
  clearInterval(watch)
  note(`\n${what}`)
  claim('from request to end, s', seconds, { atMost })
  claim('peak memory of all processes, MB', peak, { atMost: 900 })
  claim('p99 of the list of repositories meanwhile, ms', percentiles(lists).p99, { atMost: 100 })
  claim('p99 of /readyz meanwhile, ms', percentiles(ready).p99, { atMost: 100 })
}

async function askOften({ server }: BenchProgram, path: string, signal: AbortSignal): Promise<number[]> {
  using client = new Client(server.api)
  const took: number[] = []
  while (!signal.aborted) {
    took.push(await duration(() => client.ask('GET', path)))
    await setTimeout(askEveryMs)
  }
  return took
}
