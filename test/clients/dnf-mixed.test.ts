import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { request as sendRequest } from 'node:http'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fetchPublished, syncToEnd } from '../support/content.ts'
import { Dnf, type DnfRepository, lacksDnf } from '../support/dnf.ts'
import type { Json } from '../support/json.ts'
import { createMembers, loginOf } from '../support/members.ts'
import { buildRpms, nativeArch } from '../support/rpm-build.ts'
import { form, multipart } from '../support/uploads.ts'
import { startUpstream, type UpstreamServer } from '../support/upstream-server.ts'
import { ViewLab } from '../support/view-lab.ts'
import { lacksYumUpstream, startYumUpstream, type YumUpstream } from '../support/yum-upstream.ts'

const whale = `whale-1.0-1.${nativeArch}`
const lists = ['primary', 'filelists', 'other']

describe('a repository of packages', { skip: lacksYumUpstream || lacksDnf }, () => {
  let lab: ViewLab
  let upstream: YumUpstream
  let own: string
  before(async () => {
    lab = await ViewLab.start()
    upstream = await startYumUpstream(['gz'])
    own = join(upstream.folder, 'own')
    // what was uploaded needs what was synced
    await buildRpms(own, [{ name: 'remora', version: '1.0', requires: ['whale'] }])
    await createMembers(lab.server)
  })
  after(async () => {
    await upstream?.[Symbol.asyncDispose]()
    await lab?.[Symbol.asyncDispose]()
  })

  async function sync(repository: Json): Promise<Json> {
    const task = await syncToEnd(lab.server, repository.id)
    assert.equal(task.result, 'success', JSON.stringify(task.humanized))
    return task
  }

  async function createSynced(attributes: object = {}): Promise<Json> {
    const repository = await lab.createRepository({}, { content_type: 'yum', url: upstream.url('gz'), ...attributes })
    await sync(repository)
    return repository
  }

  async function upload(repository: Json): Promise<void> {
    const name = 'remora-1.0-1.noarch.rpm'
    const parts = [['content', await readFile(join(own, name)), name]] as const
    const path = `/content/api/repositories/${repository.id}/upload_content`
    const { status, body } = await lab.server.ask(path, { method: 'POST', body: form(parts), headers: multipart })
    assert.equal(status, 200, JSON.stringify(body))
  }

  async function removePackages(repository: Json, name: string): Promise<void> {
    const { results } = await lab.show(`packages?repository_id=${repository.id}&search=name%3D${name}`)
    const body = { ids: results.map(({ id }: Json) => id) }
    await lab.work('PUT', `repositories/${repository.id}/remove_packages`, body)
  }

  const addressOf = (repository: Json, server = lab.server.content) => `${server}/content/${repository.relative_path}/`

  const openDnf = (repository: Json, more: Partial<DnfRepository> = {}): Promise<Dnf> =>
    Dnf.open({ baseurl: addressOf(repository), ...more })

  const packagesOf = async (dnf: Dnf) => (await dnf.lines('repoquery', '-a', '--disable-modular-filtering')).toSorted()

  it('that is synced and uploaded to is one, and installs both', async () => {
    const repository = await createSynced({ download_policy: 'on_demand' })
    await upload(repository)
    await using direct = await Dnf.open({ baseurl: upstream.url('gz') })
    await using dnf = await openDnf(repository)

    assert.deepEqual(await packagesOf(dnf), [...(await packagesOf(direct)), 'remora-0:1.0-1.noarch'].toSorted())
    await dnf.lines('install', 'remora')
    assert.deepEqual(await dnf.installed(), ['remora-1.0-1.noarch', 'walrus-5.21-1.noarch', whale])
    const modules = async (client: Dnf) => client.lines('module', 'list')
    assert.deepEqual(await modules(dnf), await modules(direct))
  })

  it('that adds keeps what was uploaded; one that mirrors takes it out, and its task names it', async () => {
    const adding = await createSynced({ mirror_on_sync: false })
    const mirroring = await createSynced()
    for (const repository of [adding, mirroring]) await upload(repository)
    const removedOf = async (repository: Json) => (await sync(repository)).output.removed_names
    assert.deepEqual(await removedOf(adding), [])
    assert.deepEqual(await removedOf(mirroring), ['Packages/r/remora-1.0-1.noarch.rpm'])

    await using dnf = await openDnf(adding)
    await dnf.lines('install', 'remora')
    await using other = await openDnf(mirroring)
    assert.deepEqual(await other.lines('repoquery', 'remora'), [])
  })

  it('that is protected and on demand installs from a version of a view, with a login', async () => {
    const repository = await createSynced({ download_policy: 'on_demand', unprotected: false })
    await upload(repository)
    const view = await lab.createView({ repositories: [repository] })
    const dev = await lab.createEnvironment('Mixed')
    await lab.promote(await lab.publish(view), [dev])
    await removePackages(repository, 'walrus')
    const [copy] = (await lab.list({ content_view_id: view.id, environment_id: dev.id })) as [Json]

    const [username, password] = loginOf('viewer').split(':') as [string, string]
    await using dnf = await openDnf(copy, { username, password })
    await dnf.lines('install', 'remora')
    assert.deepEqual(await dnf.installed(), ['remora-1.0-1.noarch', 'walrus-5.21-1.noarch', whale])
    await using stranger = await openDnf(copy)
    assert.notEqual((await stranger.run('makecache')).code, 0)
    assert.equal((await fetchPublished(lab.server, copy, 'repodata/repomd.xml')).status, 401)
  })

  /** Which list of the metadata has which ending. */
  async function endingsOf(repository: Json): Promise<Record<string, string | undefined>> {
    const index = await (await fetchPublished(lab.server, repository, 'repodata/repomd.xml')).text()
    return Object.fromEntries(lists.map((list) => [list, new RegExp(`-${list}\\.xml\\.(\\w+)"`).exec(index)?.[1]]))
  }

  for (const [type, ending, other] of [
    ['sha1', 'gz', 'sha256'],
    ['sha256', 'zst', 'sha1'],
  ] as const) {
    it(`with the checksum type ${type} is published with ${ending}, and installs; also after another one`, async () => {
      const synced = await createSynced({ checksum_type: type })
      const changed = await createSynced({ checksum_type: other })
      const path = `/content/api/repositories/${changed.id}`
      const { status } = await lab.server.ask(path, { method: 'PUT', body: { checksum_type: type } })
      assert.equal(status, 200)
      await lab.work('PUT', `repositories/${changed.id}/republish`)
      await using direct = await Dnf.open({ baseurl: upstream.url('gz') })
      for (const repository of [synced, changed]) {
        assert.deepEqual(await endingsOf(repository), { primary: ending, filelists: ending, other: ending })
        await using dnf = await openDnf(repository)
        assert.deepEqual(await packagesOf(dnf), await packagesOf(direct))
        await dnf.lines('install', 'whale')
        assert.deepEqual(await dnf.installed(), ['walrus-5.21-1.noarch', whale])
      }
    })
  }

  it('is whole to a client that is between repomd.xml and the lists when something is published', async () => {
    const repository = await createSynced()
    // when dnf has a list already, it reads repomd.xml once to see whether it changed, and once more to follow it
    const leaving = ['crab', 'octopus', 'narwhal']
    await using between = await startForwarder(lab.server.content, async (path) => {
      const name = path.endsWith('/repomd.xml') ? leaving.shift() : undefined
      if (name !== undefined) await removePackages(repository, name)
    })
    await using dnf = await Dnf.open({ baseurl: addressOf(repository, between.url) })
    const read = async (option: string) => (await dnf.lines('repoquery', '-a', '--qf=%{name}', option)).toSorted()

    await dnf.lines('makecache')
    assert.deepEqual(leaving, ['octopus', 'narwhal'])
    assert.deepEqual(await read('--cacheonly'), ['crab', 'narwhal', 'octopus', 'walrus', 'whale'])
    assert.deepEqual(await read('--refresh'), ['narwhal', 'walrus', 'whale'])
    assert.deepEqual(leaving, [])
    assert.deepEqual(await read('--refresh'), ['walrus', 'whale'])
  })
})

/** Passes requests on. After an answer something is done, and only then the next request is passed on. */
async function startForwarder(target: string, doAfter: (path: string) => Promise<void>): Promise<UpstreamServer> {
  let done = Promise.resolve()
  return startUpstream(async (request, response) => {
    const before = done
    const { promise, resolve } = Promise.withResolvers<void>()
    done = promise
    await before
    const { url = '', method, headers } = request
    response.on('close', () => resolve(doAfter(url)))
    sendRequest(new URL(url, target), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    }).end()
  })
}
