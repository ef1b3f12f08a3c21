import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, beforeEach, describe, it } from 'node:test'
import { createFileRepository, fetchPublished, syncToEnd } from '../support/content.ts'
import type { Json } from '../support/json.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { startProxy, startUpstream, type UpstreamServer } from '../support/upstream-server.ts'

const file = Buffer.from('the bytes of a file')
const digest = createHash('sha256').update(file).digest('hex')
const setting = '/api/settings/content_default_http_proxy'
const password = 'a secret word'

let server: TestServer
let upstream: UpstreamServer
let proxy: UpstreamServer
let asked: number
before(async () => {
  server = await startTestServer()
  upstream = await startUpstream((request, response) => {
    if (request.url === '/PULP_MANIFEST') return response.end(`a.bin,${digest},${file.length}\n`)
    return request.url === '/a.bin' ? response.end(file) : response.writeHead(404).end()
  })
  proxy = await startProxy(`ann:${password}`)
})
beforeEach(() => {
  asked = proxy.requests.length
})
after(async () => {
  await server[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
  await proxy[Symbol.asyncDispose]()
})

let made = 0
async function createProxy(attributes: object = {}): Promise<Json> {
  made += 1
  const login = { username: 'ann', password }
  const body = { http_proxy: { name: `Office ${made}`, url: proxy.url, ...login, ...attributes } }
  return (await server.ask('/api/http_proxies', { method: 'POST', body })).body
}

function selecting(id: number) {
  return { http_proxy_policy: 'use_selected_http_proxy', http_proxy_id: id }
}

const throughProxy = () => proxy.requests.slice(asked).map(({ method, url }) => `${method} ${url}`)

describe('a sync', () => {
  it('goes through the proxy that was selected, with its login, and tells nobody the password', async () => {
    const { id } = await createProxy()
    const repository = await createFileRepository(server, upstream.url, selecting(id))

    const task = await syncToEnd(server, repository.id)

    assert.equal(task.result, 'success', JSON.stringify(task.humanized))
    assert.deepEqual(throughProxy(), [`GET ${upstream.url}/PULP_MANIFEST`, `GET ${upstream.url}/a.bin`])
    const published = await fetchPublished(server, repository, 'a.bin')
    assert.deepEqual(Buffer.from(await published.arrayBuffer()), file)
    for (const path of [
      `/api/http_proxies/${id}`,
      '/api/http_proxies',
      `/content/api/repositories/${repository.id}`,
      `/foreman_tasks/api/tasks/${task.id}/details`,
    ])
      assert.doesNotMatch(JSON.stringify((await server.ask(path)).body), /secret word/, path)
  })

  it('says which proxy it could not get through, and not with which password', async () => {
    const wrong = await createProxy({ password: 'a wrong word' })
    const closed = await startProxy()
    await closed[Symbol.asyncDispose]()
    const gone = await createProxy({ url: closed.url })

    for (const [{ id, name }, reason] of [
      [wrong, 'the proxy answered 407'],
      [gone, 'connection refused'],
    ] as const) {
      const repository = await createFileRepository(server, upstream.url, selecting(id))
      const task = await syncToEnd(server, repository.id)
      assert.equal(task.result, 'error')
      const failure = `Cannot fetch ${upstream.url}/PULP_MANIFEST through proxy "${name}": ${reason}`
      assert.equal(task.humanized.errors[0].slice(0, failure.length), failure)
      assert.doesNotMatch(JSON.stringify(task), /wrong word/)
    }
  })

  it('goes around every proxy by the policy none, and else through the default', async () => {
    const { name, id } = await createProxy()
    await server.ask(setting, { method: 'PUT', body: { setting: { value: name } } })
    const around = await createFileRepository(server, upstream.url, { http_proxy_policy: 'none', http_proxy_id: id })
    const usual = await createFileRepository(server, upstream.url)

    assert.equal((await syncToEnd(server, around.id)).result, 'success')
    assert.deepEqual(throughProxy(), [])
    assert.equal((await syncToEnd(server, usual.id)).result, 'success')
    assert.equal(throughProxy()[0], `GET ${upstream.url}/PULP_MANIFEST`)
    await server.ask(setting, { method: 'PUT', body: { setting: { value: '' } } })
    asked = proxy.requests.length
    assert.equal((await syncToEnd(server, usual.id)).result, 'success')
    assert.deepEqual(throughProxy(), [])
  })

  it('uses the proxy for other sources too, and reaches it where private addresses are denied', async () => {
    await using careful = await startTestServer({ BACKHAUL_FETCH_DENY: 'private' })
    await using guide = await startProxy(undefined, () => upstream.port)
    const body = { name: 'Trusted', url: guide.url }
    const { id } = (await careful.ask('/api/http_proxies', { method: 'POST', body })).body
    const repository = await createFileRepository(careful, 'http://files.example/', selecting(id))

    assert.equal((await syncToEnd(careful, repository.id)).result, 'success')
    assert.equal(guide.requests[0]?.url, 'http://files.example/PULP_MANIFEST')
  })

  it('on demand leaves the files to be fetched through the proxy too', async () => {
    await using other = await startUpstream((request, response) => {
      const bytes = Buffer.from('other bytes')
      const sum = createHash('sha256').update(bytes).digest('hex')
      response.end(request.url === '/PULP_MANIFEST' ? `b.bin,${sum},${bytes.length}\n` : bytes)
    })
    const { id } = await createProxy()
    const attributes = { ...selecting(id), download_policy: 'on_demand' }
    const repository = await createFileRepository(server, other.url, attributes)

    assert.equal((await syncToEnd(server, repository.id)).result, 'success')
    assert.deepEqual(throughProxy(), [`GET ${other.url}/PULP_MANIFEST`])
    assert.equal(await (await fetchPublished(server, repository, 'b.bin')).text(), 'other bytes')
    assert.deepEqual(throughProxy()[1], `GET ${other.url}/b.bin`)
  })

  it('fails rather than going around a default that is not there', async () => {
    await using lost = await startTestServer({ BACKHAUL_HTTP_PROXY_ID: '77' })
    const repository = await createFileRepository(lost, upstream.url)
    const before = upstream.requests.length

    const task = await syncToEnd(lost, repository.id)

    assert.equal(task.result, 'error')
    assert.match(task.humanized.errors[0], /its HTTP proxy is not there/)
    assert.equal(upstream.requests.length, before)
  })
})
