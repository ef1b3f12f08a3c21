import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { messageIn } from '../support/error-answers.ts'
import type { Json } from '../support/json.ts'
import { ViewLab } from '../support/view-lab.ts'

const files = { 'a.txt': 'A', 'b.txt': 'B', 'sub/a.txt': 'C', 'sub/b_1.iso': 'D', 'sub/bx1.iso': 'E' }

let lab: ViewLab
let repository: Json
before(async () => {
  lab = await ViewLab.start()
  repository = await lab.createRepository(files)
})
after(() => lab[Symbol.asyncDispose]())

async function addFilter(view: Json, attributes: object, paths: readonly string[]): Promise<Json> {
  const filter = await lab.create('content_view_filters', { content_view_id: view.id, type: 'file', ...attributes })
  for (const path of paths) await lab.create(`content_view_filters/${filter.id}/rules`, { path })
  return lab.show(`content_view_filters/${filter.id}`)
}

async function published(view: Json): Promise<string[]> {
  const [copy] = await lab.list({ content_view_version_id: await lab.publish(view), archived: true })
  const served = (await lab.served(copy)) as Record<string, string>
  const names = Object.keys(served).filter((name) => name !== 'PULP_MANIFEST')
  assert.equal(copy?.content_counts.file, names.length)
  for (const name of names) assert.equal(served[name], files[name as keyof typeof files])
  return names.sort()
}

describe('a filter of a content view', () => {
  it('of inclusion publishes only what one of its rules names', async () => {
    const view = await lab.createView({ repositories: [repository] })
    await addFilter(view, { name: 'Only', inclusion: true }, ['a.txt', 'sub/*'])
    assert.deepEqual(await published(view), ['a.txt', 'sub/a.txt', 'sub/b_1.iso', 'sub/bx1.iso'])
  })

  it('of exclusion leaves out what one of its rules names, and * means anything, ? one character, others themselves', async () => {
    const view = await lab.createView({ repositories: [repository] })
    const filter = await addFilter(view, { name: 'Not' }, ['sub/b_*', '?.txt'])
    assert.deepEqual(await published(view), ['sub/a.txt', 'sub/bx1.iso'])
    assert.deepEqual([filter.inclusion, filter.rules.map(({ path }: Json) => path)], [false, ['sub/b_*', '?.txt']])
  })

  it('acts together with others: something must include, and nothing exclude', async () => {
    const view = await lab.createView({ repositories: [repository] })
    await addFilter(view, { name: 'These', inclusion: true }, ['*.iso'])
    await addFilter(view, { name: 'Those', inclusion: true }, ['a.txt'])
    await addFilter(view, { name: 'None', inclusion: false }, ['*bx*'])
    assert.deepEqual(await published(view), ['a.txt', 'sub/b_1.iso'])
  })

  it('acts on the repositories that it is for, and leaves the others references', async () => {
    const other = await lab.createRepository({ 'a.txt': 'A' })
    const view = await lab.createView({ repositories: [repository, other] })
    await addFilter(view, { name: 'One', inclusion: true, repository_ids: [repository.id] }, ['nothing'])
    const copies = await lab.list({ content_view_version_id: await lab.publish(view), archived: true })
    assert.deepEqual(
      copies.map(({ content_counts }) => content_counts.file),
      [0, 1],
    )
    assert.equal(copies[1]?.version_href, (await lab.show(`repositories/${other.id}`)).version_href)
  })

  it('acts on later versions only, and versions remember how they were made', async () => {
    const view = await lab.createView({ repositories: [repository] })
    const filter = await addFilter(view, { name: 'Then', inclusion: true }, ['a.txt'])
    const first = await lab.publish(view)
    const [rule] = filter.rules
    const path = `/content/api/content_view_filters/${filter.id}/rules/${rule.id}`
    assert.equal((await lab.server.ask(path, { method: 'PUT', body: { path: 'b.txt' } })).status, 200)
    assert.deepEqual(await published(view), ['b.txt'])
    assert.equal((await lab.server.ask(path, { method: 'DELETE' })).status, 200)
    assert.deepEqual(await published(view), [])
    await lab.server.ask(`/content/api/content_view_filters/${filter.id}`, { method: 'DELETE' })
    assert.equal((await published(view)).length, 5)
    const [archived] = await lab.list({ content_view_version_id: first, archived: true })
    assert.deepEqual(Object.keys((await lab.served(archived)) as object).sort(), ['PULP_MANIFEST', 'a.txt'])
  })

  it('is listed, searched, changed and refused like everything else', async () => {
    const view = await lab.createView({ repositories: [repository] })
    const stranger = await lab.createRepository()
    const filter = await addFilter(view, { name: 'Known', description: 'words' }, [])
    const list = await lab.show(`content_views/${view.id}/filters?search=name%3DKnown`)
    assert.deepEqual([list.total, list.subtotal, list.results[0].id], [1, 1, filter.id])
    const base = '/content/api/content_view_filters'
    const bad: readonly (readonly [string, string, object, number])[] = [
      ['POST', base, { content_view_id: view.id, name: 'Known', type: 'file' }, 422],
      ['POST', base, { content_view_id: view.id, name: 'New', type: 'rocket' }, 422],
      ['POST', base, { content_view_id: 1, name: 'New', type: 'file' }, 422],
      ['POST', base, { content_view_id: 9999, name: 'New', type: 'file' }, 404],
      ['PUT', `${base}/${filter.id}`, { repository_ids: [stranger.id] }, 422],
      ['PUT', `/content/api/content_views/1/filters/${filter.id}`, { name: 'x' }, 404],
      ['POST', `${base}/${filter.id}/rules`, {}, 422],
      ['POST', `${base}/${filter.id}/rules`, { path: '' }, 422],
      ['POST', `${base}/9999/rules`, { path: 'x' }, 404],
      ['PUT', `${base}/${filter.id}/rules/9999`, { path: 'x' }, 404],
    ]
    for (const [method, path, body, status] of bad)
      messageIn(await lab.server.ask(path, { method, body }), path, status)
    const changed = await lab.server.ask(`${base}/${filter.id}`, {
      method: 'PUT',
      body: { name: 'Renamed', inclusion: true },
    })
    assert.deepEqual([changed.body.name, changed.body.inclusion, changed.body.description], ['Renamed', true, 'words'])
  })
})

describe('versions of content views', () => {
  it('are compared by their units', async () => {
    const own = await lab.createRepository({ stays: 'stays', goes: 'goes' })
    const view = await lab.createView({ repositories: [own] })
    const first = await lab.publish(view)
    await lab.remove(own, 'goes')
    await lab.upload(own, { comes: 'comes' })
    const second = await lab.publish(view)
    const compare = async (more = '') => {
      const ids = `content_view_version_ids[]=${first}&content_view_version_ids[]=${second}`
      const { results } = await lab.show(`files/compare?${ids}${more}`)
      return Object.fromEntries(results.map(({ name, comparison }: Json) => [name, comparison]))
    }
    assert.deepEqual(await compare(), { stays: [first, second], goes: [first], comes: [second] })
    assert.deepEqual(await compare('&restrict_comparison=same'), { stays: [first, second] })
    assert.deepEqual(await compare('&restrict_comparison=different&search=name~o'), { goes: [first], comes: [second] })
    assert.deepEqual(await compare(`&repository_id=${repository.id}`), {})
    for (const query of [
      '',
      'content_view_version_ids[]=x',
      `content_view_version_ids[]=${first}&restrict_comparison=no`,
    ])
      messageIn(await lab.server.ask(`/content/api/files/compare?${query}`), '/content/api/files', 422)
    messageIn(
      await lab.server.ask('/content/api/files/compare?content_view_version_ids[]=999'),
      '/content/api/files',
      404,
    )
  })
})
