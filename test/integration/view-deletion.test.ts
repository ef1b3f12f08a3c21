import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { taskEnd } from '../support/content.ts'
import { messageIn } from '../support/error-answers.ts'
import { sha256 } from '../support/uploads.ts'
import { ViewLab } from '../support/view-lab.ts'

let lab: ViewLab
before(async () => {
  lab = await ViewLab.start()
})
after(() => lab[Symbol.asyncDispose]())

async function refusal(path: string, status: number): Promise<string> {
  return messageIn(await lab.server.ask(`/content/api/${path}`, { method: 'DELETE' }), `/content/api/${path}`, status)
}

async function isStored(text: string): Promise<boolean> {
  const digest = sha256(Buffer.from(text))
  return (
    (await stat(join(lab.server.folder, 'data/blobs', digest.slice(0, 2), digest)).catch(() => undefined)) !== undefined
  )
}

describe('a repository that versions of content views hold', () => {
  it('is deleted neither by itself nor with its product, and the answer names the versions', async () => {
    const repository = await lab.createRepository({ a: 'held' })
    const view = await lab.createView({ repositories: [repository], name: 'Holder' })
    await lab.publish(view)

    assert.match(await refusal(`repositories/${repository.id}`, 409), /Holder 1\.0 in Library/)
    assert.match(await refusal(`products/${repository.product.id}`, 409), /Holder 1\.0 in Library/)
    assert.match(await refusal(`repositories/${repository.id}?force=true`, 409), /Holder 1\.0 in Library/)
  })

  it('is deleted by force as soon as no environment shows it, with its archived copies', async () => {
    const repository = await lab.createRepository({ a: 'forced away' })
    const view = await lab.createView({ repositories: [repository] })
    const version = await lab.publish(view)
    const [archived] = await lab.list({ content_view_version_id: version, archived: true })
    await lab.work('DELETE', `content_views/${view.id}/environments/1`)
    assert.match(await refusal(`repositories/${repository.id}`, 409), /force/)

    const { status } = await lab.server.ask(`/content/api/repositories/${repository.id}?force=true`, {
      method: 'DELETE',
    })

    assert.equal(status, 200)
    assert.equal(await lab.served(archived), 404)
    assert.equal((await lab.list({ content_view_version_id: version })).length, 0)
    assert.deepEqual((await lab.show(`content_views/${view.id}`)).repository_ids, [])
  })

  it('cannot be deleted, changed, synced or uploaded to by the id of a copy', async () => {
    const repository = await lab.createRepository({ a: 'original' })
    const version = await lab.publish(await lab.createView({ repositories: [repository] }))
    for (const copy of await lab.list({ content_view_version_id: version })) {
      const path = `/content/api/repositories/${copy.id}`
      for (const [method, below, body] of [
        ['DELETE', '', undefined],
        ['PUT', '', { description: 'x' }],
        ['POST', '/sync', { source_url: 'http://127.0.0.1:9/' }],
        ['PUT', '/remove_content', { ids: [1] }],
        ['POST', '/content_uploads', { size: 1 }],
      ] as const) {
        const answer = await lab.server.ask(`${path}${below}`, { method, body })
        assert.match(messageIn(answer, path, 422), /never changes/, `${method} ${below}`)
      }
      for (const work of ['republish', 'verify_checksum'])
        await lab.work(work === 'republish' ? 'PUT' : 'POST', `repositories/${copy.id}/${work}`)
      assert.equal(((await lab.served(copy)) as Record<string, string>)['a'], 'original')
    }
  })
})

describe('a version of a content view', () => {
  it('is not deleted while an environment shows it', async () => {
    const view = await lab.createView({ name: 'Shown' })
    const version = await lab.publish(view)
    assert.match(await refusal(`content_view_versions/${version}`, 409), /1\.0 in environment "Library"/)
    assert.match(await refusal(`content_views/${view.id}`, 409), /in environment "Library"/)
    const path = `/content/api/content_views/${view.id}/remove`
    for (const body of [{}, { environment_ids: [99] }, { content_view_version_ids: [1] }, { environment_ids: 'x' }])
      messageIn(await lab.server.ask(path, { method: 'PUT', body }), path, 422)
  })

  it('gives back the bytes that only it held, and says how many', async () => {
    const repository = await lab.createRepository({ kept: 'kept bytes', gone: 'bytes of the old version' })
    const view = await lab.createView({ repositories: [repository] })
    const old = await lab.publish(view)
    await lab.remove(repository, 'gone')
    await lab.publish(view)
    assert.equal(await isStored('bytes of the old version'), true)

    const task = await lab.work('DELETE', `content_view_versions/${old}`)

    assert.ok(task.output.freed_bytes >= 'bytes of the old version'.length, JSON.stringify(task.output))
    assert.deepEqual(await Promise.all(['kept bytes', 'bytes of the old version'].map(isStored)), [true, false])
    assert.deepEqual(((await lab.served(repository)) as Record<string, string>)['kept'], 'kept bytes')
  })

  it('goes with its environments by one request, and the view with all its versions', async () => {
    const repository = await lab.createRepository({ a: 'in a view that goes' })
    const view = await lab.createView({ repositories: [repository] })
    const dev = await lab.createEnvironment('Passing')
    const first = await lab.publish(view)
    await lab.promote(first, [dev])
    const second = await lab.publish(view)
    const copies = [
      ...(await lab.list({ content_view_version_id: first })),
      ...(await lab.list({ content_view_version_id: second })),
    ]

    await lab.work('PUT', `content_views/${view.id}/remove`, {
      environment_ids: [dev.id, 1],
      content_view_version_ids: [first],
    })
    messageIn(await lab.server.ask(`/content/api/content_view_versions/${first}`), '/content/api/x', 404)
    await lab.work('DELETE', `content_views/${view.id}`)

    messageIn(await lab.server.ask(`/content/api/content_views/${view.id}`), '/content/api/x', 404)
    for (const copy of copies) assert.equal(await lab.served(copy), 404)
    assert.equal((await lab.server.ask(`/content/api/repositories/${repository.id}`, { method: 'DELETE' })).status, 200)
  })
})

describe('an organization', () => {
  it('is deleted with its views, composite ones too, wherever they are shown', async () => {
    const organization = await lab.create('organizations', { name: 'Goes' })
    const product = await lab.create('products', { organization_id: organization.id, name: 'P' })
    const repository = await lab.create('repositories', { product_id: product.id, name: 'R', content_type: 'file' })
    await lab.upload(repository, { a: 'of an organization that goes' })
    const views = `organizations/${organization.id}/content_views`
    const view = await lab.create(views, { name: 'V', repository_ids: [repository.id] })
    const version = await lab.publish(view)
    await lab.publish(await lab.create(views, { name: 'C', composite: true, component_ids: [version] }))

    const started = await lab.server.ask(`/content/api/organizations/${organization.id}`, { method: 'DELETE' })

    const task = await taskEnd(lab.server, started.body.id)
    assert.equal(task.result, 'success', JSON.stringify(task.humanized))
    assert.equal(await isStored('of an organization that goes'), false)
  })
})
