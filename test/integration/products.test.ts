import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { syncToEnd, taskEnd } from '../support/content.ts'
import { messageIn } from '../support/error-answers.ts'
import type { Json } from '../support/json.ts'
import { createMembers, loginOf } from '../support/members.ts'
import { ProductLab } from '../support/product-lab.ts'
import type { TestServer } from '../support/test-server.ts'
import { waitUntil } from '../support/wait-until.ts'

const base = '/content/api/products'

let lab: ProductLab
let server: TestServer
before(async () => {
  lab = await ProductLab.start()
  server = lab.server
  await createMembers(server)
})
after(() => lab[Symbol.asyncDispose]())

describe('a product', () => {
  it('is shown with its repositories and how their syncs went', async () => {
    const product = await lab.createProduct({ description: 'Things', sync_plan_id: null })
    assert.deepEqual(
      [product.description, product.sync_plan_id, product.sync_state, product.last_sync, product.last_sync_words],
      ['Things', null, null, null, null],
    )
    assert.deepEqual([product.repositories, product.sync_summary], [[], {}])
    const good = await lab.createRepository(product, ['shown'])
    const bad = await lab.createRepository(product, undefined)
    await syncToEnd(server, good.id)
    await syncToEnd(server, bad.id)

    const { body } = await server.ask(`${base}/${product.id}?organization_id=1`)
    assert.deepEqual(body.repositories, [
      { id: good.id, name: good.name },
      { id: bad.id, name: bad.name },
    ])
    assert.deepEqual([body.repository_count, body.sync_state], [2, 'error'])
    assert.deepEqual(body.sync_summary, { success: 1, error: 1 })
    assert.match(body.last_sync, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/)
    assert.deepEqual([body.last_sync_words, body.sync_status.is_running], ['less than a minute', false])
    assert.equal(body.permissions.destroy_products, true)
    messageIn(await server.ask(`${base}/${product.id}?organization_id=77`), base, 404)
  })

  it('is changed in what is given, and keeps its label', async () => {
    const product = await lab.createProduct({ description: 'Old' })
    const path = `${base}/${product.id}`
    const changed = await server.ask(path, { method: 'PUT', body: { product: { name: 'Renamed', label: 'other' } } })
    assert.deepEqual(
      [changed.status, changed.body.name, changed.body.label, changed.body.description],
      [200, 'Renamed', product.label, 'Old'],
    )
    const cleared = await server.ask(path, { method: 'PUT', body: { description: null } })
    assert.deepEqual([cleared.body.name, cleared.body.description], ['Renamed', null])
    for (const body of [{ name: '' }, { name: null }, { sync_plan_id: 3 }, { gpg_key_id: 99_999 }])
      messageIn(await server.ask(path, { method: 'PUT', body }), base, 422)
    const other = await lab.createProduct()
    const taken = await server.ask(path, { method: 'PUT', body: { name: other.name } })
    messageIn(taken, base, 422)
    assert.deepEqual(Object.keys(taken.body.errors), ['name'])
  })

  it('keeps all of many changes that are made at once, and so do its repositories', async () => {
    const product = await lab.createProduct()
    const repository = await lab.createRepository(product, [])
    const path = `/content/api/repositories/${repository.id}`
    const changes = {
      description: 'New',
      unprotected: false,
      mirror_on_sync: false,
      verify_ssl_on_sync: false,
      checksum_type: 'sha256',
      download_concurrency: 3,
      arch: 'x86_64',
      http_proxy_policy: 'none',
      url: 'http://other.example/',
      name: 'All at once',
    }
    for (let round = 0; round < 3; round += 1) {
      const answers = await Promise.all([
        ...Object.entries(changes).map(([name, value]) => server.ask(path, { method: 'PUT', body: { [name]: value } })),
        ...[0, 1, 2, 3, 4].map(() => server.ask(path, { method: 'PUT', body: { download_policy: 'immediate' } })),
        server.ask(path, { method: 'PUT', body: { upstream_username: 'u', upstream_password: 'p' } }),
        server.ask(`${base}/${product.id}`, { method: 'PUT', body: { description: 'P' } }),
        server.ask(`${base}/${product.id}`, { method: 'PUT', body: { name: `P ${round}` } }),
      ])
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
      const { body } = await server.ask(path)
      for (const [name, value] of Object.entries(changes)) assert.equal(body[name], value, name)
      assert.deepEqual([body.download_policy, body.upstream_username], ['immediate', 'u'])
      assert.deepEqual([body.upstream_password_exists, body.product.name], [true, `P ${round}`])
      const old = {
        description: null,
        unprotected: null,
        mirror_on_sync: null,
        verify_ssl_on_sync: null,
        checksum_type: null,
        download_concurrency: null,
        arch: null,
        http_proxy_policy: null,
        upstream_username: null,
        upstream_password: null,
      }
      assert.equal((await server.ask(path, { method: 'PUT', body: old })).status, 200)
    }
  })
})

describe('the sync of a product', () => {
  it('syncs its repositories as parts, and counts how they ended', async () => {
    const product = await lab.createProduct()
    const good = await lab.createRepository(product, ['one', 'two'])
    await lab.createRepository(product, undefined)
    const started = await server.ask(`${base}/${product.id}/sync`, { method: 'POST' })
    assert.deepEqual([started.status, started.body.label], [202, 'Actions::BulkAction'])

    const { result, output, humanized } = await taskEnd(server, started.body.id)
    assert.deepEqual(
      [output.total_count, output.planned_count, output.success_count, output.failed_count],
      [2, 2, 1, 1],
    )
    assert.deepEqual([output.pending_count, output.cancelled_count, result], [0, 0, 'warning'])
    assert.match(humanized.errors.join(), /404/)
    const parts = await server.ask(`/foreman_tasks/api/tasks/${started.body.id}/sub_tasks`)
    assert.equal(parts.body.results.length, 2)
    const shown = await server.ask(`/content/api/repositories/${good.id}`)
    assert.equal(shown.body.last_sync.result, 'success')
    assert.ok(parts.body.results.some(({ id }: Json) => id === shown.body.last_sync.id))
  })

  it('does not let one repository wait for another, and waits for a sync that runs', async () => {
    const product = await lab.createProduct()
    const slow = await lab.createRepository(product, ['slow file'])
    const quick = await lab.createRepository(product, ['quick file'])
    const first = await lab.startSlowSync(slow)
    const started = await server.ask(`${base}/${product.id}/sync`, { method: 'POST' })
    await waitUntil('the quick one is synced', async () => {
      const { body } = await server.ask(`/content/api/repositories/${quick.id}`)
      return body.last_sync?.result === 'success'
    })
    assert.equal((await server.ask(`/foreman_tasks/api/tasks/${started.body.id}`)).body.state, 'running')
    lab.release()
    assert.equal((await taskEnd(server, first.id)).result, 'success')
    assert.equal((await taskEnd(server, started.body.id)).result, 'success')
  })

  it('is refused when there is nothing to sync', async () => {
    const product = await lab.createProduct()
    messageIn(await server.ask(`${base}/${product.id}/sync`, { method: 'POST' }), base, 422)
  })
})

describe('the rights of products', () => {
  it('are those of the roles', async () => {
    const product = await lab.createProduct()
    const repository = await lab.createRepository(product, [])
    const path = `${base}/${product.id}`
    const asking = [
      ['PUT', path, { description: 'x' }, { viewer: 403, editor: 200, manager: 200, stranger: 404 }],
      ['POST', `${path}/sync`, undefined, { viewer: 403, editor: 202, manager: 202, stranger: 404 }],
      ['GET', path, undefined, { viewer: 200, editor: 200, manager: 200, stranger: 404 }],
      ['POST', base, { organization_id: 1 }, { viewer: 403, editor: 403, manager: 201, stranger: 404 }],
      ['DELETE', path, undefined, { stranger: 404, viewer: 403, editor: 403, manager: 202 }],
    ] as const
    for (const [method, url, body, expected] of asking) {
      for (const [member, status] of Object.entries(expected)) {
        const as = loginOf(member as keyof typeof expected)
        const sent = url === base ? { ...body, name: `Of ${member}` } : body
        const answer = await server.ask(url, { method, as, ...(sent === undefined ? {} : { body: sent }) })
        assert.equal(answer.status, status, `${member}: ${method} ${url} ${JSON.stringify(answer.body)}`)
      }
    }
    messageIn(await server.ask(`/content/api/repositories/${repository.id}`), base, 404)
  })
})
