import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { messageIn } from '../support/error-answers.ts'
import type { Json } from '../support/json.ts'
import { ViewLab } from '../support/view-lab.ts'
import { waitUntil } from '../support/wait-until.ts'

let lab: ViewLab
before(async () => {
  lab = await ViewLab.start()
})
after(() => lab[Symbol.asyncDispose]())

const archivedOf = (version: number) => lab.list({ content_view_version_id: version, archived: true })

async function filesIn(copy: Json | undefined): Promise<string[]> {
  return Object.keys((await lab.served(copy)) as object)
    .filter((name) => name !== 'PULP_MANIFEST')
    .sort()
}

async function add(composite: Json, component: object): Promise<void> {
  const path = `/content/api/content_views/${composite.id}/content_view_components/add`
  const answer = await lab.server.ask(path, { method: 'PUT', body: { components: [component] } })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
}

describe('a composite content view', () => {
  it('holds what the versions of its components hold, by reference', async () => {
    const one = await lab.createRepository({ a: 'A' })
    const two = await lab.createRepository({ b: 'B' })
    const first = await lab.publish(await lab.createView({ repositories: [one] }))
    const second = await lab.publish(await lab.createView({ repositories: [two] }))
    const composite = await lab.createView({ composite: true, component_ids: [first, second] })
    await lab.upload(one, { later: 'not in the component' })

    const copies = await archivedOf(await lab.publish(composite))

    assert.deepEqual(await Promise.all(copies.map(filesIn)), [['a'], ['b']])
    const [original] = await archivedOf(first)
    assert.equal(copies[0]?.version_href, original?.version_href)
    for (const version of [first, second]) {
      const path = `/content/api/content_view_versions/${version}`
      messageIn(await lab.server.ask(path, { method: 'DELETE' }), path, 409)
    }
  })

  it('joins what a repository has in several components', async () => {
    const repository = await lab.createRepository({ a: 'A', b: 'B', c: 'C' })
    const part = async (path: string) => {
      const view = await lab.createView({ repositories: [repository] })
      const wanted = { content_view_id: view.id, type: 'file', name: 'Part', inclusion: true }
      const filter = await lab.create('content_view_filters', wanted)
      await lab.create(`content_view_filters/${filter.id}/rules`, { path })
      return lab.publish(view)
    }
    const composite = await lab.createView({ composite: true, component_ids: [await part('a'), await part('b')] })
    const copies = await archivedOf(await lab.publish(composite))
    assert.equal(copies.length, 1)
    assert.deepEqual(await filesIn(copies[0]), ['a', 'b'])
  })

  it('follows the latest version of a component when it is to, and is published by itself then', async () => {
    const repository = await lab.createRepository({ a: 'A' })
    const view = await lab.createView({ repositories: [repository] })
    const composite = await lab.createView({ composite: true, auto_publish: true })
    await add(composite, { content_view_id: view.id, latest: true })

    await lab.publish(view)
    const published = await waitUntil('the composite view is published', async () => {
      const { versions } = await lab.show(`content_views/${composite.id}`)
      return versions[0]
    })
    assert.deepEqual(await filesIn((await archivedOf(published.id))[0]), ['a'])
    const { results } = await lab.show(`content_views/${composite.id}/history`)
    assert.match(results[0].description, /Auto publish/)
  })

  it('may be made of nothing yet', async () => {
    const composite = await lab.createView({ composite: true })
    await add(composite, { content_view_id: (await lab.createView()).id, latest: true })
    assert.deepEqual(await archivedOf(await lab.publish(composite)), [])
  })
})
