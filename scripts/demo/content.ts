import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { productEndpoints } from '../../src/content/products/product-contract.ts'
import { repositoryEndpoints } from '../../src/content/repositories/repository-contract.ts'
import { taskEndpoints } from '../../src/platform/tasks/task-contract.ts'
import { say } from './say.ts'
import type { DemoServer } from './server.ts'

interface ShownTask {
  readonly id: string
  readonly state: string
  readonly result: string
  readonly duration: string
  readonly humanized: { readonly errors: readonly string[] }
}

const fileCount = 200
const fileBytes = 50_000

/** A repository that mirrors an upstream on this machine, and a client that fetches from it. */
export async function showContent({ client, contentUrl }: DemoServer): Promise<void> {
  await using upstream = await startUpstream()
  const product = (await client.call(productEndpoints.create, { body: { organization_id: 1, name: 'Demo' } })) as {
    id: number
  }
  const body = { product_id: product.id, name: 'Files', content_type: 'file', url: upstream.url } as const
  const { id } = (await client.call(repositoryEndpoints.create, { body })) as { id: number }

  const first = await sync(id)
  say(`Synced ${fileCount} files of ${fileBytes / 1000} kB from an upstream in ${first} s, every digest checked`)
  upstream.requests = 0
  const second = await sync(id)
  say(`Synced again, nothing had changed: ${upstream.requests} request, ${second} s`)

  const start = performance.now()
  const bytes = await fetchAll(`${contentUrl}/content/Default_Organization/Library/custom/Demo/Files/`, upstream.files)
  const seconds = (performance.now() - start) / 1000
  say(
    `Fetched all of them from the published repository: ${(bytes / 1e6 / seconds).toFixed(0)} MB/s, byte for byte the upstream's`,
  )

  async function sync(repositoryId: number): Promise<string> {
    const begun = performance.now()
    let task = (await client.call(repositoryEndpoints.sync, { params: { id: repositoryId } })) as ShownTask
    while (task.state !== 'stopped') {
      await setTimeout(10)
      task = (await client.call(taskEndpoints.show, { params: { id: task.id } })) as ShownTask
    }
    if (task.result !== 'success') throw new Error(`The sync failed: ${task.humanized.errors.join('; ')}`)
    return ((performance.now() - begun) / 1000).toFixed(2)
  }
}

interface Upstream extends AsyncDisposable {
  readonly url: string
  readonly files: ReadonlyMap<string, string>
  requests: number
}

async function startUpstream(): Promise<Upstream> {
  const contents = new Map(
    Array.from({ length: fileCount }, (_, index) => [`file-${index}.bin`, randomBytes(fileBytes)]),
  )
  const files = new Map([...contents].map(([name, bytes]) => [name, createHash('sha256').update(bytes).digest('hex')]))
  const manifest = [...files].map(([name, digest]) => `${name},${digest},${fileBytes}\n`).join('')
  const server = createServer((request, response) => {
    upstream.requests += 1
    const name = decodeURIComponent(request.url?.slice(1) ?? '')
    response.end(name === 'PULP_MANIFEST' ? manifest : contents.get(name))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const upstream: Upstream = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    files,
    requests: 0,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
  return upstream
}

async function fetchAll(base: string, files: ReadonlyMap<string, string>): Promise<number> {
  let total = 0
  for (const [name, digest] of files) {
    const bytes = Buffer.from(await (await fetch(base + name)).arrayBuffer())
    if (createHash('sha256').update(bytes).digest('hex') !== digest) throw new Error(`${name} came wrong`)
    total += bytes.length
  }
  return total
}
