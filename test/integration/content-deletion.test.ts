import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fetchPublished, syncToEnd, taskEnd } from '../support/content.ts'
import { messageIn } from '../support/error-answers.ts'
import type { Json } from '../support/json.ts'
import { digestOf, ProductLab } from '../support/product-lab.ts'
import type { TestServer } from '../support/test-server.ts'
import { ChunkedUploads } from '../support/uploads.ts'

const base = '/content/api/products'

let lab: ProductLab
let server: TestServer
before(async () => {
  lab = await ProductLab.start()
  server = lab.server
})
after(() => lab[Symbol.asyncDispose]())

async function isStored(text: string): Promise<boolean> {
  const sha256 = digestOf(text)
  const found = await stat(join(server.folder, 'data/blobs', sha256.slice(0, 2), sha256)).catch(() => undefined)
  return found !== undefined
}

describe('deleting', () => {
  it('a product deletes its repositories, cancels what they do, and frees their bytes', async () => {
    const product = await lab.createProduct()
    const files = ['only of this product', 'also of this product']
    const synced = await lab.createRepository(product, files)
    const busy = await lab.createRepository(product, ['slow and never done'])
    await syncToEnd(server, synced.id)
    const running = await lab.startSlowSync(busy)
    assert.deepEqual(await Promise.all(files.map(isStored)), [true, true])

    const { status, body } = await server.ask(`${base}/${product.id}`, { method: 'DELETE' })
    assert.deepEqual([status, body.label, body.state], [202, 'Actions::Katello::Product::Destroy', 'stopped'])
    assert.deepEqual([body.result, body.output.deleted_repositories], ['success', 2])
    assert.ok(body.output.freed_bytes >= files.join('').length, JSON.stringify(body.output))
    assert.equal((await taskEnd(server, running.id)).result, 'cancelled')
    assert.deepEqual(await Promise.all(files.map(isStored)), [false, false])
    messageIn(await server.ask(`${base}/${product.id}`), base, 404)
    messageIn(await server.ask(`/content/api/repositories/${synced.id}`), base, 404)
  })

  it('a repository frees its own bytes, and keeps those that another shares', async () => {
    const product = await lab.createProduct()
    const one = await lab.createRepository(product, ['shared bytes', 'bytes of one'])
    const two = await lab.createRepository(product, ['shared bytes', 'bytes of two'])
    await syncToEnd(server, one.id)
    await syncToEnd(server, two.id)

    const deleted = await server.ask(`/content/api/repositories/${one.id}`, { method: 'DELETE' })
    assert.deepEqual([deleted.status, deleted.body], [200, {}])
    const task = await reclaimed(one)
    assert.ok(task.output.freed_bytes >= 'bytes of one'.length, JSON.stringify(task.output))
    assert.deepEqual(await Promise.all(['shared bytes', 'bytes of one', 'bytes of two'].map(isStored)), [
      true,
      false,
      true,
    ])
    const answer = await fetchPublished(server, two, digestOf('shared bytes'))
    assert.equal(await answer.text(), 'shared bytes')
  })

  it('a repository leaves the bytes that a sync has just taken for its own', async () => {
    const product = await lab.createProduct()
    const one = await lab.createRepository(product, ['taken over'])
    await syncToEnd(server, one.id)
    const two = await lab.createRepository(product, ['taken over', 'slow to come'])
    const started = await lab.startSlowSync(two)
    await server.ask(`/content/api/repositories/${one.id}`, { method: 'DELETE' })
    const task = await reclaimed(one)
    assert.deepEqual([task.result, task.output.running_writers], ['success', 1])
    assert.equal(await isStored('taken over'), true)
    lab.release()
    assert.equal((await taskEnd(server, started.id)).result, 'success')
    const answer = await fetchPublished(server, two, digestOf('taken over'))
    assert.equal(await answer.text(), 'taken over')
  })

  it('again and again, while others sync the same bytes, loses none of them', async () => {
    const product = await lab.createProduct()
    const texts = Array.from({ length: 30 }, (_, index) => `stormy file ${index}`)
    const kept = await lab.createRepository(product, texts)
    const storm = Array.from({ length: 6 }, async () => {
      const passing = await lab.createRepository(product, texts)
      await syncToEnd(server, passing.id)
      await server.ask(`/content/api/repositories/${passing.id}`, { method: 'DELETE' })
    })
    await Promise.all(storm)
    const task = await syncToEnd(server, kept.id)
    assert.equal(task.result, 'success', JSON.stringify(task.humanized))
    assert.ok((await Promise.all(texts.map(isStored))).every(Boolean))
  })

  it('repositories does not take away the bytes of uploads that are on their way', async () => {
    const product = await lab.createProduct()
    const target = await lab.createRepository(product, [])
    const uploads = new ChunkedUploads(server)
    const texts = Array.from({ length: 10 }, (_, index) => `uploaded file ${index}`)
    const deletions = Array.from({ length: 5 }, async () => {
      const passing = await lab.createRepository(product, texts)
      await syncToEnd(server, passing.id)
      await server.ask(`/content/api/repositories/${passing.id}`, { method: 'DELETE' })
      await reclaimed(passing)
    })
    const sent = texts.map(async (text) => {
      const upload = await uploads.begin(target.id, text.length)
      const half = Math.floor(text.length / 2)
      const bytes = Buffer.from(text)
      assert.equal(await uploads.send(target.id, upload, 0, bytes.subarray(0, half)), 204)
      assert.equal(await uploads.send(target.id, upload, half, bytes.subarray(half)), 204)
      return { id: upload, name: digestOf(text) }
    })
    const imported = await uploads.import(target.id, await Promise.all(sent))
    await Promise.all(deletions)
    assert.equal(imported.body.result, 'success', JSON.stringify(imported.body))
    for (const text of texts) assert.equal(await (await fetchPublished(server, target, digestOf(text))).text(), text)
  })
})

/** The task that gave back what a deleted repository had, when it has ended. */
async function reclaimed(repository: Json): Promise<Json> {
  const label = 'Actions::Katello::Repository::ReclaimSpace'
  const { body } = await server.ask(`/foreman_tasks/api/tasks?label=${label}&full_result=true`)
  const task = body.results.find(({ input }: Json) => input.repository?.id === repository.id)
  return taskEnd(server, task.id)
}
