import assert from 'node:assert/strict'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Ansible, type AnsibleTask, type TaskOutcome } from '../support/ansible.ts'
import { lacksOpenssl, makeCertificates } from '../support/certificates.ts'
import { fetchPublished } from '../support/content.ts'
import type { Json } from '../support/json.ts'
import { lacksProgram } from '../support/programs.ts'
import { ViewLab } from '../support/view-lab.ts'
import { lacksYumUpstream, startYumUpstream, type YumUpstream } from '../support/yum-upstream.ts'

const organization = 'Default Organization'
const place = { organization, product: 'Sea' }

/** Every option of the module `repository` that is not for another type, but for those that are for the upstream. */
const everything = {
  label: 'all_of_it',
  description: 'Everything that the module knows',
  url: 'https://sea.example/el9/?token=a%20b',
  http_proxy_policy: 'use_selected_http_proxy',
  http_proxy: 'Reef',
  gpg_key: 'Key of the sea',
  ssl_ca_cert: 'Authority of the sea',
  ssl_client_cert: 'Certificate of the sea',
  ssl_client_key: 'Private key of the sea',
  download_concurrency: 7,
  download_policy: 'immediate',
  mirror_on_sync: false,
  verify_ssl_on_sync: false,
  upstream_username: 'diver',
  unprotected: false,
  checksum_type: 'sha256',
  ignorable_content: ['srpm'],
  os_versions: ['rhel-9'],
  arch: 'x86_64',
}

/** Another value for each of those that can change. */
const otherwise = {
  description: 'Another',
  url: 'https://ocean.example/el9',
  http_proxy_policy: 'none',
  gpg_key: 'Another key',
  download_concurrency: 2,
  mirror_on_sync: true,
  verify_ssl_on_sync: true,
  unprotected: true,
  checksum_type: 'sha1',
  ignorable_content: [],
  os_versions: ['rhel-7'],
  arch: 'noarch',
}

const skip = lacksProgram('ansible-playbook') || lacksOpenssl || lacksYumUpstream

describe('the Ansible collection theforeman.foreman, with packages,', { skip }, () => {
  let lab: ViewLab
  let ansible: Ansible
  let upstream: YumUpstream
  before(async () => {
    lab = await ViewLab.start()
    ansible = await Ansible.open(lab.server.api)
    upstream = await startYumUpstream(['gz'])
    await run(await foundations())
  })
  after(async () => {
    await upstream?.[Symbol.asyncDispose]()
    await ansible?.[Symbol.asyncDispose]()
    await lab?.[Symbol.asyncDispose]()
  })

  async function foundations(): Promise<AnsibleTask[]> {
    const { ca, client } = makeCertificates()
    const key = await readFile(join(upstream.folder, 'key.asc'), 'utf8')
    const credential = (name: string, content_type: string, content: string): AnsibleTask => ({
      name,
      module: 'content_credential',
      options: { organization, name, content_type, content },
    })
    return [
      { name: 'product', module: 'product', options: { organization, name: 'Sea' } },
      { name: 'proxy', module: 'http_proxy', options: { name: 'Reef', url: 'http://reef.example:3128' } },
      credential('Key of the sea', 'gpg_key', key),
      credential('Another key', 'gpg_key', key),
      credential('Authority of the sea', 'cert', ca),
      credential('Certificate of the sea', 'cert', client.certificate),
      credential('Private key of the sea', 'cert', client.key),
    ]
  }

  /** @throws when a task fails */
  async function run(tasks: readonly AnsibleTask[]): Promise<TaskOutcome[]> {
    const outcomes = await ansible.run(tasks)
    for (const { name, failed, msg, result } of outcomes)
      assert.ok(!failed, `${name}: ${msg} ${JSON.stringify(result)}`)
    assert.equal(outcomes.length, tasks.length)
    return outcomes
  }

  const repository = (name: string, options: object): AnsibleTask => ({
    name,
    module: 'repository',
    options: { ...place, name, content_type: 'yum', ...options },
  })
  const upload = (name: string, file: string): AnsibleTask => ({
    name: file,
    module: 'content_upload',
    options: { ...place, repository: name, src: join(upstream.folder, 'packages', file) },
  })
  const sync = (name: string): AnsibleTask => ({
    name: `sync ${name}`,
    module: 'repository_sync',
    options: { ...place, repository: name },
  })
  const info = (name: string): AnsibleTask => ({
    name: `info ${name}`,
    module: 'repository_info',
    options: { ...place, name },
  })

  const changes = (outcomes: readonly TaskOutcome[]) => outcomes.map(({ changed }) => changed)
  /** What modules said besides that the connection is not encrypted. */
  const complaints = (outcomes: readonly TaskOutcome[]) =>
    outcomes.flatMap(({ warnings }) => warnings).filter((warning) => !warning.includes('plain HTTP'))

  /** What was shown, by the names of options. */
  function optionsOf(shown: Json, names: readonly string[]): Json {
    const named = (value: Json) => (value !== null && typeof value === 'object' && 'name' in value ? value.name : value)
    return Object.fromEntries(names.map((name) => [name, named(shown[name])]))
  }

  it('sets every option of a repository, once, and shows it', async () => {
    const outcomes = await run([
      repository('All', { ...everything, upstream_password: 'deep' }),
      repository('All', everything),
      info('All'),
    ])

    assert.deepEqual(changes(outcomes), [true, false, false])
    assert.deepEqual(complaints(outcomes), [])
    const shown = outcomes[2]?.result.repository
    assert.deepEqual(optionsOf(shown, Object.keys(everything)), everything)
    assert.deepEqual([shown.content_type, shown.upstream_password_exists], ['yum', true])
    assert.ok(!JSON.stringify(shown).includes('deep'))
  })

  it('changes every option, once', async () => {
    const outcomes = await run([repository('All', otherwise), repository('All', otherwise), info('All')])

    assert.deepEqual(changes(outcomes), [true, false, false])
    assert.deepEqual(complaints(outcomes), [])
    const { http_proxy: _, ...kept } = everything
    const expected = { ...kept, ...otherwise }
    assert.deepEqual(optionsOf(outcomes[2]?.result.repository, Object.keys(expected)), expected)
  })

  it('is told which options this server does not have', async () => {
    const options = { auto_enabled: true, mirroring_policy: 'additive', ignore_global_proxy: true }
    const [outcome] = await run([repository('Others', options)])

    const [complaint = '', ...others] = complaints([outcome as TaskOutcome])
    for (const name of Object.keys(options)) assert.ok(complaint.includes(`'${name}'`), complaint)
    assert.deepEqual(others, [])
    assert.equal(outcome?.result.entity.repositories[0].http_proxy_policy, 'none')
  })

  it('uploads packages and source packages, whose second upload changes nothing', async () => {
    await run([repository('Uploaded', {})])
    const files = ['walrus-5.21-1.noarch.rpm', 'crab-2.0-1.noarch.rpm', 'whale-1.0-1.src.rpm']
    const tasks = files.map((file) => upload('Uploaded', file))
    const first = await run(tasks)
    const [{ result }] = (await run([info('Uploaded')])) as [TaskOutcome]
    const second = await run(tasks)

    assert.deepEqual(changes(first), [true, true, true])
    // the module looks for source packages among the others, so it uploads them again
    assert.deepEqual(changes(second), [false, false, true])
    const shown = await lab.show(`repositories/${result.repository.id}`)
    assert.deepEqual([shown.content_counts.rpm, shown.content_counts.srpm], [2, 1])
    assert.equal(shown.last_contents_changed, result.repository.last_contents_changed)
    for (const file of files) {
      const answer = await fetchPublished(lab.server, shown, `Packages/${file[0]}/${file}`)
      const bytes = await readFile(join(upstream.folder, 'packages', file))
      assert.deepEqual(Buffer.from(await answer.arrayBuffer()), bytes, file)
    }
  })

  it('syncs, and is told why that fails', async () => {
    const folder = await upstream.copy('gz', 'failing')
    const options = { url: upstream.url('failing'), gpg_key: 'Key of the sea' }
    const [, , shown] = await run([repository('Synced', options), sync('Synced'), info('Synced')])
    assert.equal(shown?.result.repository.content_counts.rpm, 8)

    await rm(join(folder, 'repodata'), { recursive: true })
    const [gone] = await ansible.run([sync('Synced')])
    assert.equal(gone?.failed, true)
    const said = `Cannot read ${upstream.url('failing')}: it is no repository, no mirrorlist and no metalink`
    assert.ok(gone?.msg.includes(said), gone?.msg)
  })
})
