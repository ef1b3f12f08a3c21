import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { syncToEnd } from '../../test/support/content.ts'
import { ViewLab } from '../../test/support/view-lab.ts'
import type { BenchProgram } from '../program.ts'
import { claim, note } from '../report.ts'
import { inParallel } from './client.ts'
import { tableSizes } from './table-sizes.ts'

const repositoryCount = 200
const unitsEach = 500
const base = '/content/api'

export interface Upstream {
  readonly folder: string
  readonly url: string
}

/** What it takes to publish and to promote a content view with many repositories, and what of it is kept. */
export async function measureViews(program: BenchProgram, upstream: Upstream): Promise<void> {
  const repositoryIds = await fillRepositories(program, upstream)
  const lab = new ViewLab(program.server)
  const environment = await lab.createEnvironment('Bench')
  const view = await lab.createView({ repositories: repositoryIds.map((id) => ({ id })) })
  const measure = async <T>(what: string, seconds: number, work: () => Promise<T>): Promise<T> => {
    const before = await tableSizes(program.database)
    const start = performance.now()
    const done = await work()
    claim(`${what}, s`, (performance.now() - start) / 1000, { atMost: seconds })
    note(`          ${(await tableSizes(program.database)).since(before)}`)
    return done
  }
  const publish = (what: string) => measure(what, 3, () => lab.publish(view))
  const promote = (what: string, version: number) => measure(what, 2, () => lab.promote(version, [environment]))

  note(`\na content view of ${repositoryCount} repositories with ${unitsEach} files each`)
  await promote('promote', await publish('publish'))
  const same = await publish('publish again, nothing changed')
  await promote('promote that', same)
  await writeManifest(upstream, 0, unitsEach + 1)
  await syncToEnd(program.server, repositoryIds[0] ?? 0)
  const changed = await publish('publish again, one repository changed')
  await promote('promote that', changed)
}

async function fillRepositories({ server }: BenchProgram, upstream: Upstream): Promise<number[]> {
  const product = await server.ask(`${base}/products`, {
    method: 'POST',
    body: { organization_id: 1, name: 'For views' },
  })
  return inParallel(server.api, repositoryCount, async (client, number) => {
    await writeManifest(upstream, number, unitsEach)
    const { id } = await client.ask('POST', `${base}/repositories`, {
      product_id: product.body.id,
      name: `For views ${number}`,
      content_type: 'file',
      url: `${upstream.url}views/${number}/`,
      download_policy: 'on_demand',
    })
    const { result } = await syncToEnd(server, id)
    if (result !== 'success') throw new Error('The sync failed')
    return { id }
  })
}

/** Nobody fetches the files: that they are listed is enough. */
async function writeManifest({ folder }: Upstream, number: number, count: number): Promise<void> {
  const lines = Array.from({ length: count }, (_, file) => {
    const name = `${number}-${file}.bin`
    return `${name},${createHash('sha256').update(name).digest('hex')},4096\n`
  })
  const own = join(folder, 'views', String(number))
  await mkdir(own, { recursive: true })
  await writeFile(join(own, 'PULP_MANIFEST'), lines.join(''))
}
