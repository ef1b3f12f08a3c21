import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Ansible, type AnsibleTask, type TaskOutcome } from '../support/ansible.ts'
import { lacksOpenssl, makeCertificates } from '../support/certificates.ts'
import { fetchPublished } from '../support/content.ts'
import { FileRepository } from '../support/file-repository.ts'
import type { Json } from '../support/json.ts'
import { lacksNginx, type Nginx, startNginx } from '../support/nginx.ts'
import { lacksProgram } from '../support/programs.ts'
import { SeededRandom } from '../support/seeded-random.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'

const organization = 'Playbook organization'
const product = 'Playbook product'
const place = { organization, product }
const files = { ...place, repository: 'Files' }

const skip = lacksProgram('ansible-playbook') || lacksNginx || lacksOpenssl

describe('the Ansible collection theforeman.foreman', { skip }, () => {
  let folder: string
  let server: TestServer
  let nginx: Nginx
  let ansible: Ansible
  let upstream: FileRepository
  let things: AnsibleTask[]
  const uploaded = randomBytes(5 * 1024 * 1024)
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'backhaul-playbook-'))
    upstream = new FileRepository(join(folder, 'upstream'))
    await upstream.add('one.bin')
    await upstream.add('two.bin')
    await upstream.writeManifest()
    await writeFile(join(folder, 'uploaded.bin'), uploaded)
    server = await startTestServer()
    nginx = await startNginx(upstream.folder)
    ansible = await Ansible.open(server.api)
    things = thingsFrom(nginx.url)
  })
  after(async () => {
    await ansible?.[Symbol.asyncDispose]()
    await nginx?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })

  async function run(tasks: readonly AnsibleTask[]): Promise<TaskOutcome[]> {
    const outcomes = await ansible.run(tasks)
    for (const { name, failed, msg, result } of outcomes) {
      assert.ok(!failed, `${name}: ${msg} ${JSON.stringify(result)}`)
    }
    assert.equal(outcomes.length, tasks.length)
    return outcomes
  }

  async function findRepository(): Promise<Json> {
    const { body } = await server.ask('/content/api/repositories?name=Files')
    const { body: repository } = await server.ask(`/content/api/repositories/${body.results[0].id}`)
    return repository
  }

  it('sees that the server works', async () => {
    const [status] = await run([{ name: 'status', module: 'status_info', options: {} }])

    assert.equal(status?.result.status.result, 'ok')
    assert.equal(status?.result.ping.results.foreman.database.active, true)
    assert.equal(status?.result.ping.results.katello.status, 'ok')
  })

  it('makes everything, and changes nothing when it is run again', async () => {
    const first = await run(things)
    const second = await run(things)

    assert.deepEqual(changes(first), all(things, true))
    assert.deepEqual(changes(second), all(things, false))
    assert.deepEqual(complaints([...first, ...second]), [])
  })

  it('makes what it was asked for', async () => {
    const repository = await findRepository()

    const { url, download_concurrency, mirror_on_sync, http_proxy_policy, http_proxy, ssl_ca_cert } = repository
    assert.equal(url, nginx.url)
    assert.equal(download_concurrency, 3)
    assert.equal(mirror_on_sync, false)
    assert.equal(http_proxy_policy, 'use_selected_http_proxy')
    assert.equal(http_proxy.name, 'Playbook proxy')
    assert.equal(ssl_ca_cert.name, 'Playbook authority')
    assert.equal(repository.product.name, product)
    assert.equal(repository.organization.name, organization)
  })

  it('changes only what is another than it was', async () => {
    const described = things.filter(({ options }) => 'description' in options)
    const others = described.map(({ options, ...task }) => ({
      ...task,
      options: { ...options, description: 'Another' },
    }))
    const direct = things.map((task) =>
      task.module === 'repository' ? { ...task, options: withoutProxy(task.options) } : task,
    )
    await run(others)
    const outcomes = await run(direct)

    assert.deepEqual(
      outcomes.filter(({ changed }) => changed).map(({ name }) => name),
      described.map(({ name }) => name),
    )
    const { http_proxy_policy, description } = await findRepository()
    assert.deepEqual([http_proxy_policy, description], ['none', 'Of a playbook'])
  })

  it('sets what is the same for all repositories', async () => {
    const setting = (value: string) => [
      { name: 'setting', module: 'setting', options: { name: 'content_default_http_proxy', value } },
    ]
    const outcomes = []
    for (const value of ['Playbook proxy', 'Playbook proxy', '', '']) outcomes.push(...(await run(setting(value))))

    assert.deepEqual(
      outcomes.map(({ changed }) => changed),
      [true, false, true, false],
    )
  })

  it('shows repositories, one and all of a product', async () => {
    const [one, all] = await run([
      { name: 'one', module: 'repository_info', options: { ...place, name: 'Files' } },
      { name: 'all', module: 'repository_info', options: place },
    ])

    assert.equal(one?.result.repository.content_type, 'file')
    assert.deepEqual(
      all?.result.repositories.map((repository: Json) => repository.name),
      ['Files'],
    )
  })

  it('syncs a repository and a product', async () => {
    await run([
      { name: 'repository', module: 'repository_sync', options: files },
      { name: 'product', module: 'repository_sync', options: place },
    ])

    const served = await fetchPublished(server, await findRepository(), 'one.bin')
    assert.deepEqual(Buffer.from(await served.arrayBuffer()), await upstream.read('one.bin'))
  })

  it('uploads a file in chunks, and does not upload it again', async () => {
    const upload = {
      name: 'upload',
      module: 'content_upload',
      options: { ...files, src: join(folder, 'uploaded.bin') },
    }
    const first = await run([upload])
    const second = await run([upload])

    assert.deepEqual([changes(first), changes(second)], [{ upload: true }, { upload: false }])
    const served = await fetchPublished(server, await findRepository(), 'uploaded.bin')
    assert.deepEqual(Buffer.from(await served.arrayBuffer()), uploaded)
  })

  it('is told why a sync failed', async () => {
    await writeFile(join(upstream.folder, 'PULP_MANIFEST'), 'no list of files\n')

    const [outcome] = await ansible.run([{ name: 'sync', module: 'repository_sync', options: files }])

    assert.equal(outcome?.failed, true)
    assert.match(`${outcome?.msg}`, /PULP_MANIFEST: line 1 is not/)
  })

  it('is told what is wrong with a request', async () => {
    const options = { ...place, name: 'Wrong', content_type: 'file', url: 'ftp://upstream.example/' }

    const [outcome] = await ansible.run([{ name: 'wrong', module: 'repository', options }])

    assert.equal(outcome?.failed, true)
    assert.match(outcome?.result.error.displayMessage, /url/)
  })

  it('deletes everything, each only once', async () => {
    const absences = things.toReversed().map(absent)
    const twice = absences.flatMap((task) => [task, { ...task, name: `${task.name} again` }])

    const outcomes = await run(twice)

    const expected = twice.map(({ name }) => [name, !name.endsWith('again')])
    assert.deepEqual(changes(outcomes), Object.fromEntries(expected))
    const { body } = await server.ask('/content/api/repositories')
    assert.equal(body.total, 0)
  })
})

function randomBytes(length: number): Buffer {
  const random = new SeededRandom(5)
  return Buffer.from(Array.from({ length }, () => random.below(256)))
}

function changes(outcomes: readonly TaskOutcome[]): Record<string, boolean> {
  return Object.fromEntries(outcomes.map(({ name, changed }) => [name, changed]))
}

function all(tasks: readonly AnsibleTask[], changed: boolean): Record<string, boolean> {
  return Object.fromEntries(tasks.map(({ name }) => [name, changed]))
}

function withoutProxy({ http_proxy: _, ...options }: AnsibleTask['options']): AnsibleTask['options'] {
  return { ...options, http_proxy_policy: 'none' }
}

/** What modules said besides that the connection is not encrypted: options that the server does not take, for one. */
function complaints(outcomes: readonly TaskOutcome[]): string[] {
  return outcomes.flatMap(({ warnings }) => warnings).filter((warning) => !warning.includes('plain HTTP'))
}

/** Each thing after those it needs. */
function thingsFrom(url: string): AnsibleTask[] {
  const { ca } = makeCertificates()
  return [
    { name: 'organization', module: 'organization', options: { name: organization, description: 'Of a playbook' } },
    {
      name: 'proxy',
      module: 'http_proxy',
      options: { name: 'Playbook proxy', url: 'http://proxy.example:3128', organizations: [organization] },
    },
    {
      name: 'credential',
      module: 'content_credential',
      options: { organization, name: 'Playbook authority', content_type: 'cert', content: ca },
    },
    {
      name: 'product',
      module: 'product',
      options: { organization, name: product, description: 'Of a playbook', ssl_ca_cert: 'Playbook authority' },
    },
    {
      name: 'repository',
      module: 'repository',
      options: {
        ...place,
        name: 'Files',
        content_type: 'file',
        url,
        description: 'Of a playbook',
        download_concurrency: 3,
        mirror_on_sync: false,
        unprotected: true,
        verify_ssl_on_sync: false,
        ssl_ca_cert: 'Playbook authority',
        http_proxy_policy: 'use_selected_http_proxy',
        http_proxy: 'Playbook proxy',
      },
    },
  ]
}

/** The same thing named, to be gone. */
function absent({ name, module, options }: AnsibleTask): AnsibleTask {
  const isRepository = module === 'repository'
  const { organization: owner, product: parent, name: own, content_type, content } = options as Json
  const needed = module === 'content_credential' ? { content_type, content } : isRepository ? { content_type } : {}
  const url = module === 'http_proxy' ? { url: options['url'] } : {}
  const scope = Object.fromEntries(
    Object.entries({ organization: owner, product: parent }).filter(([, v]) => v !== undefined),
  )
  return { name, module, options: { ...scope, name: own, ...needed, ...url, state: 'absent' } }
}
