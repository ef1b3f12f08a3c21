import type { BenchProgram } from '../program.ts'
import { claim, note } from '../report.ts'
import { Client, type Times } from './client.ts'
import { type Filled, repositoryCount, repositoryName } from './fill.ts'

const times = Number(process.env['BENCH_TIMES'] ?? 200)
export const repositories = '/content/api/repositories'
export const plainList = `${repositories}?organization_id=1`

interface List {
  readonly what: string
  readonly path: string
  /** What the median of its answers may take, in milliseconds. */
  readonly atMost: number
  readonly times?: number
}

/** What lists take from an otherwise idle server. */
export async function measureLists({ server }: BenchProgram, filled: Filled): Promise<void> {
  using client = new Client(server.api)
  const measure = async (title: string, lists: readonly List[]) => {
    note(`\n${title}, ms`)
    for (const list of lists) await measureList(client, list)
  }
  await measure(`lists of ${repositoryCount} repositories`, repositoryLists(filled))
  await measure('other lists', otherLists(filled))
}

async function measureList(client: Client, { what, path, atMost, times: own = times }: List): Promise<void> {
  let found = ''
  const took = await client.time(own, async () => {
    const { results, total, subtotal, error } = await client.ask('GET', path)
    if (error) throw new Error(`${path}: ${error}`)
    found = `${results.length} of ${subtotal} of ${total}`
  })
  claimTimes(`${what} (${found})`, took, atMost)
}

export function claimTimes(what: string, { p50, p99 }: Times, atMost: number): void {
  claim(`${what}; p99 ${p99.toFixed(1)}; p50`, p50, { atMost })
}

function repositoryLists({ productIds }: Filled): List[] {
  const [productId] = productIds
  const search = (text: string) => `${plainList}&search=${encodeURIComponent(text)}`
  const searches = [
    `name = "${repositoryName(4242)}"`,
    'name ~ abc',
    'zoo',
    'product = "Bench product 7"',
    'not (name ~ a)',
  ]
  return [
    { what: 'plain', path: plainList, atMost: 15 },
    { what: 'of all organizations', path: repositories, atMost: 15 },
    ...searches.map((text) => ({ what: `search: ${text}`, path: search(text), atMost: 25 })),
    { what: 'with_content=file', path: `${plainList}&with_content=file`, atMost: 40 },
    { what: 'product_id', path: `${plainList}&product_id=${productId}`, atMost: 15 },
    { what: 'name', path: `${plainList}&name=${encodeURIComponent(repositoryName(77))}`, atMost: 15 },
    { what: 'page=400', path: `${plainList}&page=400`, atMost: 25 },
    { what: 'page=400, order=name DESC', path: `${plainList}&page=400&order=name%20DESC`, atMost: 25 },
    { what: 'page=400, order=product', path: `${plainList}&page=400&order=product`, atMost: 40 },
    { what: 'order=created_at DESC', path: `${plainList}&order=created_at%20DESC`, atMost: 25 },
    { what: 'order=id', path: `${plainList}&order=id`, atMost: 25 },
    { what: 'per_page=1000', path: `${plainList}&per_page=1000`, atMost: 150, times: times / 4 },
    { what: 'file_id=1', path: `${plainList}&file_id=1`, atMost: 40 },
    { what: 'of the organization', path: '/content/api/organizations/1/repositories', atMost: 15 },
    { what: 'of the environment', path: '/content/api/organizations/1/environments/1/repositories', atMost: 25 },
    { what: 'of a product', path: `/content/api/products/${productId}/repositories`, atMost: 15 },
    { what: 'of both', path: `/content/api/environments/1/products/${productId}/repositories`, atMost: 15 },
    { what: 'of the default view', path: '/content/api/content_views/1/repositories', atMost: 25 },
  ]
}

function otherLists({ bigId }: Filled): List[] {
  const products = '/content/api/products?organization_id=1'
  const tasks = '/foreman_tasks/api/tasks'
  const files = `/content/api/files?repository_id=${bigId}`
  const rare = times / 10
  return [
    { what: 'products', path: products, atMost: 15 },
    { what: 'products, per_page=200', path: `${products}&per_page=200`, atMost: 40 },
    { what: 'tasks', path: tasks, atMost: 25 },
    { what: 'tasks, search: label ~ sync', path: `${tasks}?search=label%20~%20sync`, atMost: 40 },
    { what: 'tasks, page=400', path: `${tasks}?page=400`, atMost: 40 },
    { what: 'files', path: files, atMost: 150, times: rare },
    { what: 'files, search: name = file-777.bin', path: `${files}&search=name=file-777.bin`, atMost: 150, times: rare },
    { what: 'files, search: 777', path: `${files}&search=777`, atMost: 400, times: rare },
    { what: 'files of all repositories', path: '/content/api/files', atMost: 400, times: rare },
  ]
}
