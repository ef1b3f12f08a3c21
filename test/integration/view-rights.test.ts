import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Json } from '../support/json.ts'
import { createMembers, loginOf, type Member } from '../support/members.ts'
import { ViewLab } from '../support/view-lab.ts'

let lab: ViewLab
let view: Json
let environment: Json
let version: number
let copies: Json[]
let unit: Json
let filter: Json
let task: Json
before(async () => {
  lab = await ViewLab.start()
  await createMembers(lab.server)
  const repository = await lab.createRepository({ 'secret.txt': 'secret' })
  await lab.server.ask(`/content/api/repositories/${repository.id}`, { method: 'PUT', body: { unprotected: false } })
  view = await lab.createView({ repositories: [repository] })
  environment = await lab.createEnvironment('Dev')
  version = await lab.publish(view)
  task = await lab.promote(version, [environment])
  copies = await lab.list({ content_view_version_id: version })
  unit = (await lab.show(`files?repository_id=${repository.id}`)).results[0]
  filter = await lab.create('content_view_filters', { content_view_id: view.id, name: 'F', type: 'file' })
})
after(() => lab[Symbol.asyncDispose]())

const seers = ['viewer', 'editor', 'manager'] as const

async function statusOf(member: Member | null, path: string, asking: object = {}): Promise<number> {
  return (await lab.server.ask(path, { ...asking, as: member === null ? null : loginOf(member) })).status
}

/** Everything by which something of an organization can be seen. */
const views = (): readonly string[] => [
  `content_views/${view.id}`,
  `content_views/${view.id}/history`,
  `content_views/${view.id}/content_view_versions`,
  `content_views/${view.id}/repositories`,
  `content_views/${view.id}/filters`,
  `content_view_filters/${filter.id}`,
  `content_view_filters/${filter.id}/rules`,
  `content_view_versions/${version}`,
  `environments/${environment.id}`,
  'organizations/1/environments',
  'organizations/1/environments/paths',
  'organizations/1/content_views',
  ...copies.flatMap(({ id }) => [
    `repositories/${id}`,
    `repositories/${id}/files`,
    `repositories/${id}/files/${unit.id}`,
  ]),
  `files/${unit.id}`,
  `files?content_view_version_id=${version}`,
  `files?environment_id=${environment.id}`,
  `files/compare?content_view_version_ids[]=${version}`,
]

describe('who does not belong to an organization', () => {
  it('sees nothing of its views, versions, environments, copies and units, by any path', async () => {
    for (const path of views()) {
      assert.equal(await statusOf('stranger', `/content/api/${path}`), 404, path)
      assert.equal(await statusOf(null, `/content/api/${path}`), 401, path)
      for (const member of seers) assert.equal(await statusOf(member, `/content/api/${path}`), 200, `${member} ${path}`)
    }
    assert.equal(await statusOf('stranger', `/foreman_tasks/api/tasks/${task.id}`), 404)
    for (const path of ['content_views', 'content_view_versions', 'environments', 'files', 'repositories']) {
      const { body } = await lab.server.ask(`/content/api/${path}`, { as: loginOf('stranger') })
      assert.deepEqual([body.total, body.results], [0, []], path)
    }
  })

  it('fetches nothing of copies that are protected', async () => {
    for (const { relative_path: path } of copies) {
      for (const file of ['', 'PULP_MANIFEST', 'secret.txt']) {
        const url = new URL(`/content/${path}/${file}`, lab.server.content)
        const status = async (login?: string, method = 'GET') => {
          const headers = login === undefined ? {} : { authorization: `Basic ${Buffer.from(login).toString('base64')}` }
          return (await fetch(url, { method, headers })).status
        }
        assert.deepEqual([await status(), await status(undefined, 'HEAD')], [401, 401], url.href)
        assert.equal(await status(loginOf('stranger')), 404, url.href)
        for (const member of seers) assert.equal(await status(loginOf(member)), 200, `${member} ${url}`)
      }
    }
  })
})

interface Change {
  readonly method: string
  readonly path: string
  readonly body?: object
  /** Who may do it, besides those above them. */
  readonly from: 'editor' | 'manager'
  /** What is told to those who may. */
  readonly done: number
}

/** With things that are not there, lest one test changes what the next one needs; who may not is told so before. */
const changes: Readonly<Record<string, () => Change>> = {
  'publish a view': () => ({
    method: 'POST',
    path: `content_views/${view.id}/publish`,
    body: { major: 1, minor: 0 },
    from: 'editor',
    done: 422,
  }),
  'promote a version': () => ({
    method: 'POST',
    path: `content_view_versions/${version}/promote`,
    body: { environment_ids: [999] },
    from: 'editor',
    done: 422,
  }),
  'republish a version': () => ({
    method: 'PUT',
    path: `content_view_versions/${version}/republish_repositories`,
    body: {},
    from: 'editor',
    done: 202,
  }),
  'take a view out of an environment': () => ({
    method: 'DELETE',
    path: `content_views/${view.id}/environments/999`,
    from: 'editor',
    done: 422,
  }),
  'delete versions': () => ({
    method: 'PUT',
    path: `content_views/${view.id}/remove`,
    body: { content_view_version_ids: [999] },
    from: 'manager',
    done: 422,
  }),
  'delete a version': () => ({
    method: 'DELETE',
    path: `content_view_versions/${version}`,
    from: 'manager',
    done: 409,
  }),
  'delete a view': () => ({ method: 'DELETE', path: `content_views/${view.id}`, from: 'manager', done: 409 }),
  'add a filter': () => ({
    method: 'POST',
    path: 'content_view_filters',
    body: { content_view_id: view.id, name: 'F', type: 'file' },
    from: 'editor',
    done: 422,
  }),
  'change a filter': () => ({
    method: 'PUT',
    path: `content_view_filters/${filter.id}`,
    body: { inclusion: false },
    from: 'editor',
    done: 200,
  }),
  'add a rule': () => ({
    method: 'POST',
    path: `content_view_filters/${filter.id}/rules`,
    body: { path: 'x' },
    from: 'editor',
    done: 201,
  }),
  'republish a copy': () => ({
    method: 'PUT',
    path: `repositories/${copies[0]?.id}/republish`,
    from: 'editor',
    done: 202,
  }),
}

describe('members of an organization', () => {
  for (const [name, change] of Object.entries(changes)) {
    it(`may ${name} as far as their role allows`, async () => {
      const { method, path, body, from, done } = change()
      const may: Member[] = from === 'editor' ? ['editor', 'manager'] : ['manager']
      const mayNot = seers.filter((member) => !may.includes(member))
      for (const member of mayNot)
        assert.equal(await statusOf(member, `/content/api/${path}`, { method, body }), 403, member)
      assert.equal(await statusOf('stranger', `/content/api/${path}`, { method, body }), 404)
      for (const member of may)
        assert.equal(await statusOf(member, `/content/api/${path}`, { method, body }), done, member)
    })
  }
})
