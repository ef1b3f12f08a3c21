import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createFileRepository } from '../support/content.ts'
import { messageIn } from '../support/error-answers.ts'
import type { Json } from '../support/json.ts'
import { Lists } from '../support/lists.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { form, multipart, repositories, sha256 } from '../support/uploads.ts'

let server: TestServer
let lists: Lists
let full: Json
let file: Json
before(async () => {
  server = await startTestServer()
  lists = new Lists(server)
  full = await createFileRepository(server, 'http://127.0.0.1:1/', { name: 'Full' })
  await createFileRepository(server, 'http://127.0.0.1:1/', { name: 'Empty' })
  const body = form([['content[]', Buffer.from('a'), 'a.txt']])
  await server.ask(`${repositories}/${full.id}/upload_content`, { method: 'POST', body, headers: multipart })
  ;[file] = (await lists.ask('/content/api/files', {})).body.results
})
after(() => server[Symbol.asyncDispose]())

const names = (query: Readonly<Record<string, string | number>>) => lists.names(repositories, query)

describe('a list of repositories that hold a unit', () => {
  it('takes each of its ids', async () => {
    for (const id of [file.id, file.pulp_id, file.uuid, sha256(Buffer.from('a'))])
      assert.deepEqual(await names({ file_id: id }), ['Full'], String(id))
  })

  it('is empty for what is no such unit', async () => {
    for (const id of [999_999, 0, -1, 'x', '', `${file.id}x`, '9'.repeat(30), 'ä/../'])
      assert.deepEqual(await names({ file_id: id }), [], String(id))
  })

  it('is empty for the id of another kind', async () => {
    for (const name of ['rpm_id', 'deb_id', 'erratum_id', 'ansible_collection_id', 'ostree_branch_id'])
      assert.deepEqual(await names({ [name]: file.id }), [], name)
  })
})

describe('a list of repositories', () => {
  const labels =
    'generic_content_unit,ansible collection,ansible_collection,ostree,rpm,modulemd,erratum,distribution,package_category,' +
    'package_group,yum_repo_metadata_file,srpm,file,deb,docker_manifest,docker_manifest_list,docker_tag,docker_blob'
  for (const label of labels.split(',')) {
    it(`is cut down to those with content: ${label}`, async () => {
      assert.deepEqual(await names({ with_content: label }), label === 'file' ? ['Full'] : [])
    })
  }

  for (const query of [
    { with_content: 'x' },
    { available_for: 'x' },
    { library: 'maybe' },
    { archived: 'maybe' },
    { content_view_id: 'x' },
    { content_view_version_id: 0 },
    { content_type: 'x' },
  ]) {
    it(`is refused with 422 for ${JSON.stringify(query)}`, async () => {
      const answer = await lists.ask(repositories, query)
      messageIn(answer, repositories, 422)
      assert.deepEqual(Object.keys(answer.body.errors), Object.keys(query))
    })
  }

  const all = ['Empty', 'Full']
  for (const [query, found] of [
    [{ library: 'true' }, all],
    [{ library: 'false' }, all],
    [{ archived: 'true' }, all],
    [{ content_view_id: 1 }, all],
    [{ content_view_version_id: 1 }, all],
    [{ content_view_version_id: 1, library: 'true' }, all],
    [{ content_view_version_id: 1, archived: 'true' }, []],
    [{ content_view_version_id: 1, archived: 'false' }, all],
    [{ content_view_id: 1, environment_id: 1 }, all],
    [{ available_for: 'content_view' }, all],
    [{ available_for: 'content_view', content_view_id: 1 }, []],
    [{ available_for: 'content_view_version' }, all],
    [{ available_for: 'content_view_version', content_view_id: 1 }, all],
    [{ available_for: 'content_view_version', with_content: 'file' }, ['Full']],
    [{ name: 'Full', search: 'name = Empty' }, []],
    [{ name: 'Full', per_page: 1000, page: 1 }, ['Full']],
    [{ download_policy: 'background' }, []],
  ] as const) {
    it(`gives what is true where there is only Library: ${JSON.stringify(query)}`, async () => {
      assert.deepEqual(await names(query), found)
    })
  }

  it('is 404 for views and versions that are not there', async () => {
    messageIn(await lists.ask(repositories, { content_view_id: 99 }), repositories, 404)
    messageIn(await lists.ask(repositories, { content_view_version_id: 99 }), repositories, 404)
  })
})

describe('a list of what a user may see', () => {
  it('is for administrators', async () => {
    const password = 'a long password'
    const member = await lists.create('/api/users', { login: 'member', password })
    await lists.create('/api/users', { login: 'stranger', password })
    await server.ask(`/content/api/organizations/1/members/${member.id}`, { method: 'PUT', body: { role: 'viewer' } })

    assert.deepEqual(await names({ username: 'member' }), ['Empty', 'Full'])
    assert.deepEqual(await names({ username: 'admin', name: 'Full' }), ['Full'])
    assert.deepEqual(await names({ username: 'stranger' }), [])
    assert.deepEqual(await names({ username: 'nobody' }), [])
    for (const username of ['member', 'admin'])
      messageIn(await lists.ask(repositories, { username }, `member:${password}`), repositories, 403)
  })
})
