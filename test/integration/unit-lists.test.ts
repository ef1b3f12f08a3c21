import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createFileRepository, taskEnd } from '../support/content.ts'
import { messageIn } from '../support/error-answers.ts'
import type { Json } from '../support/json.ts'
import { Lists } from '../support/lists.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { form, multipart, repositories, sha256 } from '../support/uploads.ts'

const files = '/content/api/files'
const as = 'stranger:a long password'

let server: TestServer
let lists: Lists
let first: Json
let second: Json
before(async () => {
  server = await startTestServer()
  lists = new Lists(server)
  await lists.create('/api/users', { login: 'stranger', password: 'a long password' })
  first = await createFileRepository(server, 'http://127.0.0.1:1/', { name: 'First' })
  second = await createFileRepository(server, 'http://127.0.0.1:1/', { name: 'Second' })
  await upload(first, { 'b.txt': 'b', 'sub/a.txt': 'a' })
  await upload(second, { 'b.txt': 'b', 'c_1.txt': 'c', 'cx1.txt': 'c' })
})
after(() => server[Symbol.asyncDispose]())

async function upload(repository: Json, texts: Readonly<Record<string, string>>): Promise<void> {
  const parts = Object.entries(texts).map(([name, text]) => ['content[]', Buffer.from(text), name] as const)
  const body = form(parts)
  const path = `${repositories}/${repository.id}/upload_content`
  const { status } = await server.ask(path, { method: 'POST', body, headers: multipart })
  assert.equal(status, 200)
}

const digest = (text: string) => sha256(Buffer.from(text))
const paths = ({ body }: { body: Json }) => body.results.map(({ path }: Json) => path)
const search = (text: string) => lists.ask(files, { search: text })

describe('files', () => {
  it('are listed by name with their path and checksum', async () => {
    const { status, body } = await lists.ask(files, {})
    const [a] = body.results
    const { results, ...rest } = body

    assert.equal(status, 200)
    assert.deepEqual(paths({ body }), ['sub/a.txt', 'b.txt', 'c_1.txt', 'cx1.txt'])
    assert.deepEqual(a, {
      id: a.id,
      pulp_id: `/content/units/${a.id}/`,
      uuid: `/content/units/${a.id}/`,
      name: 'a.txt',
      path: 'sub/a.txt',
      checksum: digest('a'),
    })
    assert.deepEqual([rest.total, rest.subtotal, rest.error, rest.sort], [4, 4, null, { by: 'name', order: 'asc' }])
  })

  it('are found as the Ansible collection asks for them', async () => {
    const text = (name: string, content: string) => `name = "${name}" and checksum = "${digest(content)}"`
    const repository_id = second.id
    const there = await lists.ask(files, { repository_id, search: text('b.txt', 'b'), per_page: 4_294_967_296 })
    const changed = await lists.ask(files, { repository_id, search: text('b.txt', 'new') })
    const elsewhere = await lists.ask(files, { repository_id, search: text('a.txt', 'a') })

    assert.deepEqual([paths(there), paths(changed), paths(elsewhere)], [['b.txt'], [], []])
  })

  for (const [text, found] of [
    ['name = a.txt', ['sub/a.txt']],
    ['path = a.txt', []],
    ['path ~ sub', ['sub/a.txt']],
    ['a.txt', ['sub/a.txt']],
    [`checksum = ${digest('c')}`, ['c_1.txt', 'cx1.txt']],
    [`checksum ~ ${digest('c').slice(3, 30)}`, ['c_1.txt', 'cx1.txt']],
    ['repository = First', ['sub/a.txt', 'b.txt']],
    ['repository = First and repository = Second', ['b.txt']],
    ['not repository = First', ['c_1.txt', 'cx1.txt']],
    ['has repository', ['sub/a.txt', 'b.txt', 'c_1.txt', 'cx1.txt']],
    ['first', []],
  ] as const) {
    it(`are searched: ${text}`, async () => {
      assert.deepEqual(paths(await search(text)), found)
    })
  }

  it('are ordered, and cut into pages', async () => {
    const [newest] = (await lists.ask(files, { order: 'id DESC' })).body.results
    assert.deepEqual((await search(`id = ${newest.id}`)).body.results, [newest])
    assert.deepEqual(paths(await lists.ask(files, { order: 'path DESC', per_page: 2, page: 2 })), ['c_1.txt', 'b.txt'])
  })

  it('are listed of a repository, an organization, an environment, a version of a view, and by ids', async () => {
    const all = await lists.ask(files, {})
    const [a, b] = all.body.results
    const environment_id = first.environment.id

    assert.deepEqual(paths(await lists.ask(`${repositories}/${first.id}/files`, {})), ['sub/a.txt', 'b.txt'])
    assert.deepEqual(paths(await lists.ask(files, { repository_id: first.id })), ['sub/a.txt', 'b.txt'])
    for (const query of [{ organization_id: 1 }, { environment_id }, { content_view_version_id: 1 }])
      assert.equal((await lists.ask(files, query)).body.total, 4, JSON.stringify(query))
    assert.deepEqual(paths(await server.ask(`${files}?ids[]=${a.id}&ids[]=${b.id}`)), ['sub/a.txt', 'b.txt'])
    assert.deepEqual(paths(await server.ask(`${files}?ids[]=${a.id}&repository_id=${second.id}`)), [])
    for (const query of [
      { repository_id: 99 },
      { organization_id: 99 },
      { environment_id: 99 },
      { content_view_version_id: 99 },
    ])
      messageIn(await lists.ask(files, query), files, 404)
    messageIn(await lists.ask(files, { ids: 'x' }), files, 422)
  })

  it('are shown alone, where they are', async () => {
    const [a] = (await search('name = a.txt')).body.results
    const shown = await server.ask(`${files}/${a.id}`)
    const inside = await server.ask(`${repositories}/${first.id}/files/${a.id}`)

    assert.deepEqual([shown.status, shown.body, inside.body], [200, a, a])
    messageIn(await server.ask(`${repositories}/${second.id}/files/${a.id}`), files, 404)
    messageIn(await server.ask(`${files}/999999`), files, 404)
  })

  it('are not there for those who see no repository that holds them', async () => {
    const [a] = (await search('name = a.txt')).body.results

    for (const text of ['', 'a', 'repository = First', 'not repository = x'])
      assert.deepEqual(paths(await lists.ask(files, { search: text }, as)), [])
    messageIn(await server.ask(`${files}/${a.id}`, { as }), files, 404)
    messageIn(await lists.ask(files, { repository_id: first.id }, as), files, 404)
  })

  it('are gone when the last repository no longer holds them', async () => {
    const third = await createFileRepository(server, 'http://127.0.0.1:1/', { name: 'Third' })
    await upload(third, { 'old.txt': 'old' })
    const [old] = (await search('name = old.txt')).body.results
    const removal = { method: 'PUT', body: { ids: [old.id] } }
    const { body: task } = await server.ask(`${repositories}/${third.id}/remove_content`, removal)
    await taskEnd(server, task.id)

    assert.deepEqual(paths(await search('name = old.txt')), [])
    messageIn(await server.ask(`${files}/${old.id}`), files, 404)
  })
})
