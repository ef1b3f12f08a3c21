import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { messageIn } from '../support/error-answers.ts'
import { FileUpstream } from '../support/file-upstream.ts'
import type { Json } from '../support/json.ts'
import { ViewLab } from '../support/view-lab.ts'

let lab: ViewLab
before(async () => {
  lab = await ViewLab.start()
})
after(() => lab[Symbol.asyncDispose]())

const filesIn = async (repository: Json) => Object.keys((await lab.served(repository)) as object).sort()

describe('a content view that is published', () => {
  it('holds what its repositories hold at that moment, in Library and archived', async () => {
    const repository = await lab.createRepository({ 'a.txt': 'first', 'b.txt': 'second' })
    const view = await lab.createView({ repositories: [repository], label: 'shown' })

    const versionId = await lab.publish(view, { description: 'the first one' })

    const [archived, library] = await lab.list({ content_view_version_id: versionId })
    assert.equal(archived?.kt_environment, null)
    assert.equal(library?.kt_environment.name, 'Library')
    const { label, product } = repository
    const tail = `custom/${product.name.replaceAll(' ', '_')}/${label}`
    assert.equal(archived?.relative_path, `Default_Organization/content_views/shown/1.0/${tail}`)
    assert.equal(library?.relative_path, `Default_Organization/Library/shown/${tail}`)
    for (const copy of [archived, library]) {
      assert.deepEqual(await lab.served(copy), await lab.served(repository))
      assert.equal(copy?.library_instance_id, repository.id)
      assert.deepEqual(copy?.content_counts, { ...copy?.content_counts, file: 2 })
    }
    const version = await lab.show(`content_view_versions/${versionId}`)
    assert.deepEqual([version.version, version.description], ['1.0', 'the first one'])
  })

  it('takes what was uploaded but never published for clients, and what is empty', async () => {
    const repository = await lab.createRepository({ 'a.txt': 'first' })
    const empty = await lab.createRepository()
    await lab.upload(repository, { 'b.txt': 'later' })
    const view = await lab.createView({ repositories: [repository, empty] })

    const versionId = await lab.publish(view)

    const copies = await lab.list({ content_view_version_id: versionId, archived: true })
    assert.deepEqual(await filesIn(copies[0]), ['PULP_MANIFEST', 'a.txt', 'b.txt'])
    assert.equal(await lab.served(copies[1]), 404)
  })

  it('gives each version the next number, or the one that is asked for', async () => {
    const view = await lab.createView({ repositories: [] })
    const numbers = []
    for (const body of [{}, { major: 4, minor: 2 }, { major: 1, minor: 1 }, {}]) {
      const { version } = await lab.show(`content_view_versions/${await lab.publish(view, body)}`)
      numbers.push(version)
    }
    assert.deepEqual(numbers, ['1.0', '4.2', '1.1', '5.0'])
    for (const body of [{ major: 4, minor: 2 }, { major: 7 }, { minor: 7 }, { major: -1, minor: 0 }, { major: 'x' }]) {
      const path = `/content/api/content_views/${view.id}/publish`
      messageIn(await lab.server.ask(path, { method: 'POST', body }), path, 422)
    }
  })

  it('leaves the default view alone, which cannot be published', async () => {
    const { default_content_view_id: id } = await lab.show('organizations/1')
    const path = `/content/api/content_views/${id}/publish`
    messageIn(await lab.server.ask(path, { method: 'POST', body: {} }), path, 422)
  })

  it('costs rows for copies, and none for units', async () => {
    const repository = await lab.createRepository(
      Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`${i}`, `${i}`])),
    )
    const view = await lab.createView({ repositories: [repository] })
    const count = async () =>
      (
        await lab.server.database.database
          .tables<{ content_set_units: object }>()
          .selectFrom('content_set_units')
          .selectAll()
          .execute()
      ).length
    const before = await count()
    await lab.publish(view)
    await lab.publish(view)
    assert.equal(await count(), before)
  })
})

describe('a version of a content view', () => {
  it('is promoted along a path, out of sequence only when it is forced', async () => {
    const repository = await lab.createRepository({ 'a.txt': 'first' })
    const view = await lab.createView({ repositories: [repository] })
    const dev = await lab.createEnvironment('Dev')
    const test = await lab.createEnvironment('Test', dev.id)
    const prod = await lab.createEnvironment('Prod', test.id)
    const first = await lab.publish(view)

    const path = `/content/api/content_view_versions/${first}/promote`
    const early = await lab.server.ask(path, { method: 'POST', body: { environment_ids: [prod.id] } })
    assert.match(messageIn(early, path, 422), /cannot have "Prod" before "Test"/)
    for (const environment_ids of [[], [99], undefined, 'x'])
      messageIn(await lab.server.ask(path, { method: 'POST', body: { environment_ids } }), path, 422)
    await lab.promote(first, [test, dev])
    const second = await lab.publish(view)
    await lab.promote(second, [prod], { force: true })

    const shown = async (environment: Json) =>
      (await lab.list({ content_view_id: view.id, environment_id: environment.id }))[0]
    assert.equal((await shown(dev)).content_view_version.id, first)
    assert.equal((await shown(test)).content_view_version.id, first)
    assert.equal((await shown(prod)).content_view_version.id, second)
    assert.deepEqual(await filesIn(await shown(prod)), ['PULP_MANIFEST', 'a.txt'])
  })

  it('replaces the one before it, under the same addresses and ids', async () => {
    const stays = await lab.createRepository({ 'a.txt': 'first' })
    const leaves = await lab.createRepository({ 'b.txt': 'second' })
    const comes = await lab.createRepository({ 'c.txt': 'third' })
    const view = await lab.createView({ repositories: [stays, leaves] })
    const dev = await lab.createEnvironment('Replaced')
    await lab.promote(await lab.publish(view), [dev])
    const before = await lab.list({ content_view_id: view.id, environment_id: dev.id })
    await lab.upload(stays, { 'd.txt': 'fourth' })
    const change = { repository_ids: [stays.id, comes.id] }
    const changed = await lab.server.ask(`/content/api/content_views/${view.id}`, { method: 'PUT', body: change })
    assert.equal(changed.status, 200)

    await lab.promote(await lab.publish(view), [dev])

    const after = await lab.list({ content_view_id: view.id, environment_id: dev.id })
    assert.equal(after[0]?.id, before[0]?.id)
    assert.deepEqual(await filesIn(before[0]), ['PULP_MANIFEST', 'a.txt', 'd.txt'])
    assert.equal(await lab.served(before[1]), 404)
    assert.deepEqual(await filesIn(after[1]), ['PULP_MANIFEST', 'c.txt'])
  })

  it('stays byte for byte what it was while Library is synced, uploaded to, removed from and republished a hundred times', async () => {
    await using upstream = await FileUpstream.start()
    const url = upstream.publish('steady', { 'kept.txt': 'kept' })
    const repository = await lab.createRepository({ 'gone.txt': 'gone' }, { url, mirror_on_sync: false })
    await lab.work('POST', `repositories/${repository.id}/sync`)
    const view = await lab.createView({ repositories: [repository] })
    const dev = await lab.createEnvironment('Steady')
    const version = await lab.publish(view)
    await lab.promote(version, [dev])
    const copies = await lab.list({ content_view_version_id: version })
    const before = await Promise.all(copies.map((copy) => lab.served(copy)))
    assert.deepEqual(
      before.map((files) => Object.keys(files).sort()),
      copies.map(() => ['PULP_MANIFEST', 'gone.txt', 'kept.txt']),
    )

    for (let round = 0; round < 25; round += 1) {
      upstream.publish('steady', { 'kept.txt': 'kept', [`synced-${round}`]: `${round}` })
      await lab.work('POST', `repositories/${repository.id}/sync`)
      await lab.upload(repository, { [`uploaded-${round}`]: `${round}` })
      await lab.remove(repository, 'gone.txt', 'kept.txt', `synced-${round}`, `uploaded-${round - 1}`)
      await lab.work('PUT', `repositories/${repository.id}/republish`)
    }

    assert.deepEqual(await Promise.all(copies.map((copy) => lab.served(copy))), before)
    assert.deepEqual(await filesIn(repository), ['PULP_MANIFEST', 'uploaded-24'])
  })
})
