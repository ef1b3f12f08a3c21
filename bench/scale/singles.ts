import type { BenchProgram } from '../program.ts'
import { note } from '../report.ts'
import { Client } from './client.ts'
import type { Filled } from './fill.ts'
import { claimTimes, repositories } from './lists.ts'

const times = 200

/** What it takes to make, to show and to change one of many repositories. */
export async function measureSingles({ server }: BenchProgram, { productIds, repositoryIds }: Filled): Promise<void> {
  note('\none repository among them, ms')
  using client = new Client(server.api)
  const idOf = (number: number) => repositoryIds[(number * 37) % repositoryIds.length]
  const show = await client.time(times, (number) => client.ask('GET', `${repositories}/${idOf(number)}`))
  claimTimes('show', show, 10)
  const create = await client.time(times, (number) =>
    client.ask('POST', repositories, {
      product_id: productIds[number % productIds.length],
      name: `One more ${number}`,
      content_type: 'file',
    }),
  )
  claimTimes('create', create, 15)
  const update = await client.time(times, (number) =>
    client.ask('PUT', `${repositories}/${idOf(number)}`, { description: `Changed ${number}` }),
  )
  claimTimes('update', update, 15)
}
