import { createFileRepository, syncToEnd } from '../../test/support/content.ts'
import type { BenchProgram } from '../program.ts'
import { claim, note } from '../report.ts'
import { Client, duration, percentiles } from './client.ts'
import { plainList } from './lists.ts'

/** What the plain list takes while a sync runs in the same process. */
export async function measureBusy({ server }: BenchProgram, upstream: string): Promise<void> {
  using client = new Client(server.api)
  for (const download_policy of ['immediate', 'on_demand']) {
    const { id } = await createFileRepository(server, upstream, { download_policy })
    const took: number[] = []
    let isRunning = true
    const sync = syncToEnd(server, id).finally(() => {
      isRunning = false
    })
    const lists = async () => {
      while (isRunning) took.push(await duration(() => client.ask('GET', plainList)))
    }
    const [{ result }] = await Promise.all([sync, lists()])
    if (result !== 'success') throw new Error('The sync failed')
    const { p50, p99 } = percentiles(took)
    note(`\n${took.length} lists during a sync (${download_policy}), ms; p50 ${p50.toFixed(1)}`)
    claim('p99', p99, { atMost: 100 })
  }
}
