import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Ansible, type AnsibleTask, type TaskOutcome } from '../support/ansible.ts'
import { FileRepository } from '../support/file-repository.ts'
import { lacksNginx, type Nginx, startNginx } from '../support/nginx.ts'
import { lacksProgram } from '../support/programs.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'

const organization = 'Playbook organization'
const product = 'Playbook product'
const place = { organization, product }
const uploaded = randomText(3 * 1024 * 1024)

function randomText(length: number): string {
  return Array.from({ length: length / 16 }, (_, index) => `line ${index}`.padEnd(15)).join('\n')
}

describe('the Ansible collection theforeman.foreman', { skip: lacksProgram('ansible-playbook') || lacksNginx }, () => {
  let folder: string
  let server: TestServer
  let nginx: Nginx
  let ansible: Ansible
  let upstream: FileRepository
  let tasks: AnsibleTask[]
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'backhaul-playbook-'))
    upstream = new FileRepository(join(folder, 'upstream'))
    await upstream.add('one.txt')
    await upstream.add('two.txt')
    await upstream.writeManifest()
    await writeFile(join(folder, 'uploaded.txt'), uploaded)
    server = await startTestServer()
    nginx = await startNginx(upstream.folder)
    ansible = await Ansible.open(server.api)
    tasks = presentTasks(nginx.url, join(folder, 'uploaded.txt'))
  })
  after(async () => {
    await ansible?.[Symbol.asyncDispose]()
    await nginx?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })

  it('makes everything', async () => {
    const outcomes = await run(ansible, tasks)
    console.error(JSON.stringify(outcomes, null, 1))

    assert.deepEqual(changes(outcomes), {})
  })
})

async function run(ansible: Ansible, tasks: readonly AnsibleTask[]): Promise<TaskOutcome[]> {
  const outcomes = await ansible.run(tasks)
  for (const { name, failed, msg, result } of outcomes) assert.ok(!failed, `${name}: ${msg} ${JSON.stringify(result)}`)
  assert.equal(outcomes.length, tasks.length)
  return outcomes
}

function changes(outcomes: readonly TaskOutcome[]): Record<string, boolean> {
  return Object.fromEntries(outcomes.map(({ name, changed }) => [name, changed]))
}

function presentTasks(url: string, file: string): AnsibleTask[] {
  return [
    { name: 'status', module: 'status_info', options: {} },
    { name: 'organization', module: 'organization', options: { name: organization, description: 'Of a playbook' } },
    {
      name: 'credential',
      module: 'content_credential',
      options: { organization, name: 'Playbook key', content_type: 'cert', content: 'x' },
    },
    { name: 'product', module: 'product', options: { organization, name: product, description: 'Of a playbook' } },
    {
      name: 'repository',
      module: 'repository',
      options: { ...place, name: 'Files', content_type: 'file', url },
    },
    { name: 'information', module: 'repository_info', options: { ...place, name: 'Files' } },
    { name: 'sync', module: 'repository_sync', options: { ...place, repository: 'Files' } },
    { name: 'upload', module: 'content_upload', options: { ...place, repository: 'Files', src: file } },
  ]
}
