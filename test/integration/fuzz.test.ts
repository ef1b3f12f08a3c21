import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { Agent, request as send } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { syncToEnd } from '../support/content.ts'
import { type OddRequest, OddRequests } from '../support/odd-requests.ts'
import { SeededRandom } from '../support/seeded-random.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { startUpstream, type UpstreamServer } from '../support/upstream-server.ts'

const seed = Number(process.env['FUZZ_SEED'] ?? 20_240_607)
const count = Number(process.env['FUZZ_COUNT'] ?? 5000)
const lanes = 8
/** Things are made anew after so many requests, since many requests delete them. */
const batch = 250

const asker = { login: 'fuzzer', password: 'a password of its own' }
const file = Buffer.from('the bytes of a file')

let server: TestServer
let upstream: UpstreamServer
let agent: Agent
let askerId: number
let known: Record<string, readonly unknown[]>
before(async () => {
  const digest = createHash('sha256').update(file).digest('hex')
  upstream = await startUpstream((request, response) => {
    if (request.url?.endsWith('/PULP_MANIFEST') === true) return response.end(`a.bin,${digest},${file.length}\n`)
    return request.url?.endsWith('/a.bin') === true ? response.end(file) : response.writeHead(404).end()
  })
  server = await startTestServer()
  agent = new Agent({ keepAlive: true, maxSockets: lanes })
  askerId = await create('/api/users', { ...asker, admin: true })
})
after(async () => {
  agent.destroy()
  await server[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

/** The id of something new; fails when it cannot be made. */
// biome-ignore lint/suspicious/noExplicitAny: ids are numbers or UUIDs
async function create(path: string, body: object): Promise<any> {
  const answer = await server.ask(path, {
    method: 'POST',
    body,
    as:
      path === '/api/users' && askerId === undefined
        ? 'admin:correct horse battery'
        : `${asker.login}:${asker.password}`,
  })
  assert.equal(answer.status, 201, `${path}: ${JSON.stringify(answer.body)}`)
  const { drawing_id, snapshot_id } = answer.body
  return (
    answer.body.id ?? drawing_id ?? snapshot_id ?? answer.body.link_id ?? answer.body.node_id ?? answer.body.project_id
  )
}

/** The id of the version that the default view of an organization has. */
async function usualVersion(organizationId: number): Promise<number> {
  const path = `/content/api/content_view_versions?organization_id=${organizationId}`
  return (await server.ask(path, { as: `${asker.login}:${asker.password}` })).body.results[0].id
}

let made = 0

async function makeThings(): Promise<Record<string, readonly unknown[]>> {
  made += 1
  const project = await create('/v2/projects', { name: `Fuzz ${made}` })
  const node = (name: string) =>
    create(`/v2/projects/${project}/nodes`, { name, node_type: 'vpcs', compute_id: 'local' })
  const nodes = [await node('PC1'), await node('PC2'), await node('PC3')]
  const end = (index: number) => ({ node_id: nodes[index], adapter_number: 0, port_number: 0 })
  const link = await create(`/v2/projects/${project}/links`, { nodes: [end(0), end(1)] })
  const drawing = await create(`/v2/projects/${project}/drawings`, {})
  const snapshot = await create(`/v2/projects/${project}/snapshots`, { name: 'Snapshot' })
  const organization = await create('/content/api/organizations', { name: `Fuzz ${made}` })
  const product = await create('/content/api/products', { organization_id: organization, name: `Fuzz ${made}` })
  const proxy = await create('/api/http_proxies', { name: `Fuzz ${made}`, url: upstream.url })
  const repository = await create('/content/api/repositories', {
    product_id: product,
    name: `Fuzz ${made}`,
    content_type: 'file',
    url: upstream.url,
    // others may have made anything the default
    http_proxy_policy: 'none',
  })
  const environment = await create('/content/api/environments', {
    organization_id: organization,
    name: `Fuzz ${made}`,
    prior: 'Library',
  })
  const view = await create('/content/api/content_views', {
    organization_id: organization,
    name: `Fuzz ${made}`,
    repository_ids: [repository],
  })
  const composite = await create('/content/api/content_views', {
    organization_id: organization,
    name: `Whole ${made}`,
    composite: true,
  })
  const user = await create('/api/users', { login: `victim${made}`, password: 'soon to be gone' })
  const token = await create(`/api/users/${user}/personal_access_tokens`, { name: 'token' })
  const task = await syncToEnd(server, repository)
  return {
    project_id: [project],
    node_id: nodes,
    link_id: [link],
    drawing_id: [drawing],
    snapshot_id: [snapshot],
    path: ['a', 'a/b', 'project-files/vpcs', '../a', 'a\0', '/a', '.unfinished-a'],
    svg: ['<svg></svg>', '<svg>', '<svg/>'],
    type: ['topology'],
    product_id: [product],
    organization_id: [organization],
    user_id: [user],
    '/v2': [project],
    '/content/api/repositories': [repository],
    '/content/api/products': [product],
    // the first that fits counts
    '/content/api/organizations/{organization_id}/environments': [environment],
    '/content/api/organizations': [organization],
    '/content/api/environments': [environment],
    '/content/api/content_views': [view, composite],
    '/content/api/content_view_versions': [await usualVersion(organization)],
    composite_content_view_id: [composite],
    content_view_id: [view],
    environment_id: [environment],
    prior_id: [environment],
    repository_ids: [[], [repository]],
    components: [[{ content_view_id: view, latest: true }]],
    '/foreman_tasks/api/tasks': [task.id],
    task_ids: [[task.id]],
    '/api/http_proxies': [proxy],
    http_proxy_id: [proxy],
    organization_ids: [[], [1], [999_999]],
    '/api/settings': ['content_default_http_proxy'],
    value: [proxy, '', `Fuzz ${made}`],
    '/api/users/{id}': [user],
    '/api/users': [token],
    url: [upstream.url, `${upstream.url}/sub/`, `${upstream.url}/?x=y`],
    adapter_number: [0],
    port_number: [0],
    compute_id: ['local'],
    filters: [
      {},
      { delay: [10, 5] },
      { packet_loss: [7], bpf: ['icmp'] },
      { corrupt: ['x'] },
      { bpf: ['\0'] },
      { delay: [1e99] },
    ],
    content_type: ['file'],
  }
}

function findKnown(random: SeededRandom, name: string, path: string): unknown {
  const place = name === 'id' ? Object.keys(known).find((key) => key.startsWith('/') && path.startsWith(key)) : name
  const values = place === undefined || !Object.hasOwn(known, place) ? undefined : known[place]
  return values === undefined ? undefined : random.pick(values)
}

/** The one who asks must not be changed by what is asked. */
function isSelfHarm({ method, path }: OddRequest): boolean {
  const [, id = ''] = /^\/api\/users\/([^/?]+)/.exec(path) ?? []
  return method !== 'GET' && Number(decode(id)) === askerId
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Gives the status; what is streamed without end is not read to its end. */
function ask({ method, path, headers, body }: OddRequest): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const authorization = `Basic ${Buffer.from(`${asker.login}:${asker.password}`).toString('base64')}`
  const request = send(
    server.api,
    {
      agent,
      method,
      path,
      headers: { authorization, 'content-length': body?.length ?? 0, ...headers },
      timeout: 10_000,
    },
    (answer) => {
      const isCapture = answer.headers['content-type'] === 'application/vnd.tcpdump.pcap'
      const isStream = isCapture || (answer.statusCode === 200 && /\/notifications\b/.test(path))
      const end = () => resolve(answer.statusCode ?? 0)
      answer.on('end', end).on('close', end).on('error', reject)
      if (isStream) answer.destroy()
      else answer.resume()
    },
  )
  request.on('timeout', () => request.destroy(new Error('no answer in ten seconds')))
  request.on('error', reject)
  request.end(body)
  return promise
}

async function failureOf(request: OddRequest): Promise<string | undefined> {
  try {
    const status = await ask(request)
    return status >= 500 || status === 401 ? `${status} for ${shown(request)}` : undefined
  } catch (error) {
    return `${(error as Error).message} for ${shown(request)}`
  }
}

function shown({ method, path, headers, body }: OddRequest): string {
  return `${method} ${path} ${JSON.stringify(headers)} ${JSON.stringify(body?.toString('latin1'))}`
}

/** Asks in several lanes at once; gives what failed, and how many were asked. */
async function askAll(requests: readonly OddRequest[]): Promise<string[]> {
  const queue = [...requests]
  const failures: string[] = []
  const lane = async () => {
    for (let request = queue.shift(); request !== undefined; request = queue.shift()) {
      const failure = await failureOf(request)
      if (failure !== undefined) failures.push(failure)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return failures
}

describe('the API', () => {
  it(`answers ${count} odd requests, and none of them with a fault of its own`, async () => {
    const random = new SeededRandom(seed)
    const { body: openApi } = await server.ask('/docs/openapi.json')
    const requests = new OddRequests(random, openApi, (name, path) => findKnown(random, name, path))
    const failures: string[] = []

    for (let asked = 0; asked < count; asked += batch) {
      known = await makeThings()
      const some = Array.from({ length: Math.min(batch, count - asked) }, () => requests.next())
      failures.push(...(await askAll(some.filter((request) => !isSelfHarm(request)))))
    }

    assert.deepEqual(failures, [], `seed ${seed}`)
  })

  it('is ready afterwards, and still makes, lists and serves things', async () => {
    const { status } = await server.ask('/readyz', { as: null })
    const things = await makeThings()
    const as = `${asker.login}:${asker.password}`
    const paths = [
      '/v2/projects',
      `/v2/projects/${things['project_id']}/links`,
      '/content/api/repositories?full_result=true',
      '/content/api/products?full_result=1',
      '/foreman_tasks/api/tasks',
      '/api/users',
      '/metrics',
    ]
    const statuses = await Promise.all(paths.map(async (path) => (await server.ask(path, { as })).status))

    assert.equal(status, 200)
    assert.deepEqual(
      statuses,
      paths.map(() => 200),
    )
    const [id] = things['/content/api/repositories'] ?? []
    const repository = await server.ask(`/content/api/repositories/${id}`, { as })
    const served = await fetch(`${server.content}/content/${repository.body.relative_path}/a.bin`)
    assert.deepEqual(Buffer.from(await served.arrayBuffer()), file)
  })
})
