import assert from 'node:assert/strict'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fetchPublished, syncToEnd } from '../support/content.ts'
import { Dnf, type DnfRepository, lacksDnf } from '../support/dnf.ts'
import type { Json } from '../support/json.ts'
import { createMembers, loginOf } from '../support/members.ts'
import { nativeArch } from '../support/rpm-build.ts'
import { form, multipart } from '../support/uploads.ts'
import { ViewLab } from '../support/view-lab.ts'
import { lacksYumUpstream, startYumUpstream, type YumUpstream } from '../support/yum-upstream.ts'

const whale = `whale-1.0-1.${nativeArch}`

/** What dnf is asked about the content of a repository. */
const questions = [
  ['repoquery', '-a', '--disable-modular-filtering'],
  ['repoquery', '-a'],
  ['repoquery', '-a', '-l'],
  ['repoquery', '-a', '--changelog'],
  ['repoquery', '-a', '-i'],
  ['repoquery', '-a', '--requires'],
  ['repoquery', '-a', '--provides'],
  ['updateinfo', 'list', '--all'],
  ['group', 'list', '--ids'],
  ['module', 'list'],
] as const

describe('a repository of packages', { skip: lacksYumUpstream || lacksDnf }, () => {
  let lab: ViewLab
  let upstream: YumUpstream
  let key: string
  before(async () => {
    lab = await ViewLab.start()
    upstream = await startYumUpstream(['gz', 'zst'])
    key = upstream.keyUrl
    await createMembers(lab.server)
  })
  after(async () => {
    await upstream?.[Symbol.asyncDispose]()
    await lab?.[Symbol.asyncDispose]()
  })

  async function createSynced(attributes: object = {}): Promise<Json> {
    const own = { content_type: 'yum', url: upstream.url('gz'), ...attributes }
    const repository = await lab.createRepository({}, own)
    const task = await syncToEnd(lab.server, repository.id)
    assert.equal(task.result, 'success', JSON.stringify(task.humanized))
    return repository
  }

  async function upload(repository: Json, names: readonly string[]): Promise<void> {
    const folder = join(upstream.folder, 'packages')
    for (const name of names) {
      const parts = [['content', await readFile(join(folder, name)), name]] as const
      const path = `/content/api/repositories/${repository.id}/upload_content`
      const { status, body } = await lab.server.ask(path, { method: 'POST', body: form(parts), headers: multipart })
      assert.equal(status, 200, JSON.stringify(body))
    }
  }

  /** Everything is checked: the metadata with the organization's key, packages with their maker's. */
  function openDnf(repository: Json, more: Partial<DnfRepository> = {}): Promise<Dnf> {
    const baseurl = `${lab.server.content}/content/${repository.relative_path}/`
    return Dnf.open({ baseurl, gpgcheck: true, repo_gpgcheck: true, gpgkey: `${baseurl}key.asc ${key}`, ...more })
  }

  async function answers(dnf: Dnf): Promise<Record<string, string[]>> {
    const found: Record<string, string[]> = {}
    for (const question of questions) found[question.join(' ')] = (await dnf.lines(...question)).toSorted()
    return found
  }

  for (const [what, attributes] of Object.entries<() => object>({
    'fetched at once': () => ({}),
    'fetched on demand': () => ({ download_policy: 'on_demand' }),
    'compressed with zstd': () => ({ url: upstream.url('zst') }),
    'published with gzip': () => ({ os_versions: ['os-7'] }),
  })) {
    it(`that was synced, ${what}, is to the real dnf what the upstream is, and installs`, async () => {
      await using direct = await Dnf.open({ baseurl: upstream.url('gz') })
      const repository = await createSynced(attributes())
      await using dnf = await openDnf(repository)

      assert.deepEqual(await answers(dnf), await answers(direct))
      await dnf.lines('install', 'whale')
      assert.deepEqual(await dnf.installed(), ['walrus-5.21-1.noarch', whale])
      await dnf.lines('module', 'install', 'tentacles:2')
      await dnf.lines('group', 'install', 'ocean')
      assert.deepEqual(await dnf.installed(), [
        'crab-2.0-1.noarch',
        'octopus-2.0-1.noarch',
        'walrus-5.21-1.noarch',
        whale,
      ])
      const counts = (await lab.show(`repositories/${repository.id}`)).content_counts
      assert.deepEqual([counts.rpm, counts.srpm], [8, 1])
    })
  }

  it('that was uploaded to, once more and with source packages, installs', async () => {
    const repository = await lab.createRepository({}, { content_type: 'yum' })
    const names = (await readdir(join(upstream.folder, 'packages'))).filter((name) => name.endsWith('.rpm'))
    await upload(repository, names)
    await upload(repository, names.slice(0, 1))
    await using direct = await Dnf.open({ baseurl: upstream.url('gz') })
    await using dnf = await openDnf(repository)

    const sorted = async (client: Dnf, question: readonly string[]) =>
      (await client.lines(...question, '--disable-modular-filtering')).toSorted()
    for (const question of questions.filter(([command]) => command === 'repoquery'))
      assert.deepEqual(await sorted(dnf, question), await sorted(direct, question), question.join(' '))
    await dnf.lines('install', 'whale')
    assert.deepEqual(await dnf.installed(), ['walrus-5.21-1.noarch', whale])
  })

  it('is reposynced with its metadata, and its packages downloaded', async () => {
    await using dnf = await openDnf(await createSynced({ download_policy: 'on_demand' }), { gpgcheck: false })
    const target = join(dnf.folder, 'mirror')
    await dnf.lines('reposync', '--repoid=test', `--download-path=${target}`, '--download-metadata', '--norepopath')
    const found = (await readdir(target, { recursive: true })).filter((name) => name.endsWith('.rpm'))
    const made = (await readdir(join(upstream.folder, 'packages'))).filter((name) => name.endsWith('.rpm'))
    assert.deepEqual(found.map((name) => name.split('/').at(-1)).toSorted(), made.toSorted())
    await dnf.lines('download', `--destdir=${target}/one`, 'walrus')
    assert.deepEqual(await readdir(join(target, 'one')), ['walrus-5.21-1.noarch.rpm'])
  })

  it('in a version of a content view stays what it was, and installs', async () => {
    const repository = await createSynced()
    const view = await lab.createView({ repositories: [repository] })
    const dev = await lab.createEnvironment('Dnf')
    const version = await lab.publish(view)
    await lab.promote(version, [dev])
    const [copy] = await lab.list({ content_view_id: view.id, environment_id: dev.id })
    const { results } = await lab.show(`packages?repository_id=${repository.id}&search=name%3Dcrab`)
    const body = { ids: results.map(({ id }: Json) => id) }
    await lab.work('PUT', `repositories/${repository.id}/remove_packages`, body)

    await using fromCopy = await openDnf(copy as Json)
    await using fromLibrary = await openDnf(repository)

    assert.deepEqual(await fromLibrary.lines('repoquery', '-a', 'crab'), [])
    assert.equal((await fromCopy.lines('repoquery', '-a', 'crab')).length, 2)
    await fromCopy.lines('install', 'crab')
    assert.deepEqual(await fromCopy.installed(), ['crab-2.0-1.noarch'])

    const index = await (await fetchPublished(lab.server, copy as Json, 'repodata/repomd.xml')).text()
    const [, primary = ''] = /href="(repodata\/[^"]+-primary[^"]+)"/.exec(index) ?? []
    await lab.promote(await lab.publish(view), [dev])
    assert.notEqual(await (await fetchPublished(lab.server, copy as Json, 'repodata/repomd.xml')).text(), index)
    assert.equal((await fetchPublished(lab.server, copy as Json, primary)).status, 200)
  })

  it('keeps only so many versions of each package, with all that modules need, and no source packages', async () => {
    const attributes = { retain_package_versions_count: 1, ignorable_content: ['srpm'] }
    await using dnf = await openDnf(await createSynced(attributes))
    assert.deepEqual((await dnf.lines('repoquery', '-a', '--disable-modular-filtering')).toSorted(), [
      'crab-1:2.0-1.noarch',
      'narwhal-0:1.0-1.noarch',
      'octopus-0:1.0-1.noarch',
      'octopus-0:2.0-1.noarch',
      'walrus-0:5.21-1.noarch',
      `whale-0:1.0-1.${nativeArch}`,
    ])
  })

  it('with a key is synced from an upstream that this key signed, and from no other', async () => {
    const credential = async (text: string) =>
      (
        await lab.create('content_credentials', {
          organization_id: 1,
          name: `Key ${Math.random()}`,
          content_type: 'gpg_key',
          content: text,
        })
      ).id
    const right = await credential(await readFile(join(upstream.folder, 'key.asc'), 'utf8'))
    const stranger = await upstream.gpg.createKey('another')
    const wrong = await credential(String(await upstream.gpg.exportKeys(stranger)))
    await upstream.copy('gz', 'unsigned')
    const url = upstream.url('unsigned')
    const trusting = await createSynced({ url, gpg_key_id: right })
    const repository = await lab.createRepository({}, { content_type: 'yum', url, gpg_key_id: wrong })
    const refused = await syncToEnd(lab.server, repository.id)
    assert.equal(refused.result, 'error')
    assert.match(JSON.stringify(refused.humanized.errors), /Cannot trust repomd\.xml/)
    assert.equal((await fetchPublished(lab.server, repository, 'repodata/repomd.xml')).status, 404)

    const repodata = join(upstream.folder, 'unsigned/repodata')
    await writeFile(
      join(repodata, 'repomd.xml'),
      `${await readFile(join(repodata, 'repomd.xml'), 'utf8')}<!-- changed -->`,
    )
    for (const change of [async () => undefined, () => rm(join(repodata, 'repomd.xml.asc'))]) {
      await change()
      const task = await syncToEnd(lab.server, trusting.id)
      assert.equal(task.result, 'error')
      assert.match(JSON.stringify(task.humanized.errors), /Cannot trust repomd\.xml/)
    }
    await using dnf = await openDnf(trusting)
    await dnf.lines('install', 'whale')
  })

  it('that is protected is for those who log in and may see it', async () => {
    const repository = await createSynced({ unprotected: false })
    const [username, password] = loginOf('viewer').split(':') as [string, string]
    // dnf fetches keys without logging in
    const own = join(upstream.folder, 'own.asc')
    const { body } = await lab.server.ask('/content/api/organizations/1/signing_key')
    await writeFile(own, String(body))
    const gpgkey = `file://${own} ${key}`
    await using dnf = await openDnf(repository, { username, password, gpgkey })
    await dnf.lines('install', 'whale')
    assert.deepEqual(await dnf.installed(), ['walrus-5.21-1.noarch', whale])
    await using stranger = await openDnf(repository, { gpgkey })
    assert.notEqual((await stranger.run('makecache')).code, 0)
  })

  it('serves the lists that a client has read of for a day, though others are published meanwhile', async () => {
    const repository = await createSynced()
    const index = await (await fetchPublished(lab.server, repository, 'repodata/repomd.xml')).text()
    const paths = [...index.matchAll(/<location href="([^"]+)"/g)].map(([, path]) => path as string)
    const old = new Map<string, string>()
    for (const path of paths) old.set(path, await (await fetchPublished(lab.server, repository, path)).text())

    for (const name of ['walrus', 'crab']) {
      const { results } = await lab.show(`packages?repository_id=${repository.id}&search=name%3D${name}`)
      const body = { ids: results.map(({ id }: Json) => id) }
      await lab.work('PUT', `repositories/${repository.id}/remove_packages`, body)
    }

    assert.notEqual(await (await fetchPublished(lab.server, repository, 'repodata/repomd.xml')).text(), index)
    for (const [path, text] of old) {
      const answer = await fetchPublished(lab.server, repository, path)
      assert.equal(answer.status, 200, path)
      assert.equal(await answer.text(), text)
    }
  })
})
