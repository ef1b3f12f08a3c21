import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Ansible, type AnsibleTask, type TaskOutcome } from '../support/ansible.ts'
import type { Json } from '../support/json.ts'
import { lacksProgram } from '../support/programs.ts'
import { ViewLab } from '../support/view-lab.ts'

const organization = 'Default Organization'

describe('the Ansible collection theforeman.foreman', { skip: lacksProgram('ansible-playbook') }, () => {
  let lab: ViewLab
  let ansible: Ansible
  let repository: Json
  before(async () => {
    lab = await ViewLab.start()
    ansible = await Ansible.open(lab.server.api)
    repository = await lab.createRepository({ 'one.txt': 'one', 'two.txt': 'two' })
  })
  after(async () => {
    await ansible?.[Symbol.asyncDispose]()
    await lab?.[Symbol.asyncDispose]()
  })

  const named = (module: string, name: string, more: object = {}): AnsibleTask => ({
    name: `${module} ${name}`,
    module,
    options: { organization, name, ...more },
  })
  const version = (view: string, more: object): AnsibleTask => ({
    name: `version of ${view}: ${JSON.stringify(more)}`,
    module: 'content_view_version',
    options: { organization, content_view: view, ...more },
  })
  const things = () => [
    named('lifecycle_environment', 'Test', { label: 'test', description: 'the first stage' }),
    named('lifecycle_environment', 'Production', { prior: 'Test' }),
    named('content_view', 'Base', {
      description: 'what all machines have',
      repositories: [{ name: repository.name, product: repository.product.name }],
    }),
    version('Base', { version: '1.0', description: 'of a playbook', lifecycle_environments: ['Library', 'Test'] }),
    version('Base', { version: '1.0', lifecycle_environments: ['Library', 'Test', 'Production'] }),
    named('content_view', 'All', {
      composite: true,
      components: [{ content_view: 'Base', content_view_version: '1.0' }],
    }),
    version('All', { version: '1.0', lifecycle_environments: ['Library'] }),
  ]

  async function run(tasks: readonly AnsibleTask[]): Promise<TaskOutcome[]> {
    const outcomes = await ansible.run(tasks)
    for (const { name, failed, msg, result } of outcomes)
      assert.ok(!failed, `${name}: ${msg} ${JSON.stringify(result)}`)
    assert.equal(outcomes.length, tasks.length)
    return outcomes
  }

  const changedOf = (outcomes: readonly TaskOutcome[]) =>
    outcomes.filter(({ changed }) => changed).map(({ name }) => name)
  const namesOf = (tasks: readonly AnsibleTask[]) => tasks.map(({ name }) => name)

  it('makes environments and views, publishes and promotes, and changes nothing when it is run again', async () => {
    const first = await run(things())
    const again = things().filter(({ options }) => !JSON.stringify(options).includes('"Test"]'))
    const second = await run(again)

    assert.deepEqual(changedOf(first), namesOf(things()))
    assert.deepEqual(changedOf(second), [])
    assert.deepEqual(
      [...first, ...second].flatMap(({ warnings }) => warnings).filter((warning) => !/http:|Signature/.test(warning)),
      [],
    )
  })

  it('makes what it was asked for, and clients are served it', async () => {
    for (const environment of ['Library', 'test', 'Production']) {
      const path = `Default_Organization/${environment}/Base/custom/${repository.product.name.replaceAll(' ', '_')}/${repository.label}`
      const served = await lab.served({ relative_path: path } as Json)
      assert.deepEqual(served, await lab.served(repository), environment)
    }
    const [base] = (await lab.show('content_views?search=name%3DBase')).results
    assert.deepEqual([base.description, base.latest_version], ['what all machines have', '1.0'])
    const [shown] = (await lab.show(`content_views/${base.id}/content_view_versions`)).results
    assert.equal(shown.description, 'of a playbook')
  })

  it('changes only what is another than it was', async () => {
    const outcomes = await run([
      named('lifecycle_environment', 'Test', { description: 'the very first stage' }),
      named('content_view', 'Base', { description: 'what all machines have' }),
      named('content_view', 'Base', { description: 'what all machines must have' }),
    ])
    assert.deepEqual(
      outcomes.map(({ changed }) => changed),
      [true, false, true],
    )
  })

  it('publishes a further version whenever it names none', async () => {
    const outcomes = await run([version('Base', { lifecycle_environments: ['Library', 'Test'] })])
    assert.deepEqual(changedOf(outcomes).length, 1)
    const { results } = await lab.show('content_views?search=name%3DBase')
    assert.equal(results[0].latest_version, '2.0')
  })

  it('removes everything, and nothing twice', async () => {
    const absent = [
      named('content_view', 'All', { state: 'absent' }),
      named('content_view', 'Base', { state: 'absent' }),
      named('lifecycle_environment', 'Production', { state: 'absent' }),
      named('lifecycle_environment', 'Test', { state: 'absent' }),
    ]
    assert.deepEqual(changedOf(await run(absent)), namesOf(absent))
    assert.deepEqual(changedOf(await run(absent)), [])
    assert.equal((await lab.list({ environment_id: 1 })).length, 1)
  })
})
