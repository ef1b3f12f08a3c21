import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Ansible, type AnsibleTask, type TaskOutcome } from '../support/ansible.ts'
import type { Json } from '../support/json.ts'
import { PackageViews } from '../support/package-views.ts'
import { lacksProgram } from '../support/programs.ts'
import { nativeArch } from '../support/rpm-build.ts'
import { lacksYumUpstream } from '../support/yum-upstream.ts'

const place = { organization: 'Default Organization', content_view: 'Calm sea' }

const filter = (name: string, filter_type: string, more: object = {}): AnsibleTask => ({
  name,
  module: 'content_view_filter',
  options: { ...place, name, filter_type, ...more },
})

const rule = (content_view_filter: string, more: object): AnsibleTask => ({
  name: `rule of ${content_view_filter}`,
  module: 'content_view_filter_rule',
  options: { ...place, content_view_filter, ...more },
})

const publication: AnsibleTask = { name: 'publish', module: 'content_view_version', options: place }

const things = [
  filter('old', 'rpm', { package_name: 'walrus', max_version: '1.0' }),
  filter('hard', 'package_group', { package_group: 'Shells', description: 'None with shells' }),
  filter('told', 'erratum', { errata_id: 'SEA-2024:0001' }),
  filter('streams', 'modulemd'),
  filter('late', 'erratum', { start_date: '2024-01-17', date_type: 'issued', types: ['enhancement', 'bugfix'] }),
  rule('old', { package_name: 'narwhal', architecture: 'noarch' }),
  rule('streams', { module_name: 'tentacles', stream: '1', version: '20240101000001', context: 'c0ffee41' }),
]

const skip = lacksProgram('ansible-playbook') || lacksYumUpstream

describe('the Ansible collection theforeman.foreman, with filters of packages,', { skip }, () => {
  let views: PackageViews
  let ansible: Ansible
  before(async () => {
    views = await PackageViews.start()
    ansible = await Ansible.open(views.lab.server.api)
    await views.lab.createView({ name: 'Calm sea', repositories: [views.repository] })
  })
  after(async () => {
    await ansible?.[Symbol.asyncDispose]()
    await views?.[Symbol.asyncDispose]()
  })

  async function run(tasks: readonly AnsibleTask[]): Promise<TaskOutcome[]> {
    const outcomes = await ansible.run(tasks)
    for (const { name, failed, msg, result } of outcomes)
      assert.ok(!failed, `${name}: ${msg} ${JSON.stringify(result)}`)
    assert.equal(outcomes.length, tasks.length)
    return outcomes
  }

  const namesOfChanged = (outcomes: readonly TaskOutcome[]) =>
    outcomes.filter(({ changed }) => changed).map(({ name }) => name)

  async function published(): Promise<string[]> {
    const [outcome] = await run([publication])
    const id = outcome?.result.entity.content_view_versions[0].id
    const [copy] = (await views.lab.list({ content_view_version_id: id, archived: true })) as [Json]
    const { results } = await views.lab.show(`packages?repository_id=${copy.id}&full_result=true`)
    return results.map(({ nvra }: Json) => nvra).sort()
  }

  it('makes them once, and what is published is what they leave', async () => {
    assert.deepEqual(
      namesOfChanged(await run(things)),
      things.map(({ name }) => name),
    )
    assert.deepEqual(namesOfChanged(await run(things)), [])
    assert.deepEqual(await published(), ['octopus-2.0-1.noarch', `whale-1.0-1.${nativeArch}`])
  })

  it('shows them with their rules', async () => {
    const options = { ...place, name: 'late' }
    const [outcome] = await run([{ name: 'show', module: 'content_view_filter_info', options }])
    const [rule] = outcome?.result.content_view_filter.rules ?? []
    assert.deepEqual(rule, {
      id: rule.id,
      start_date: '2024-01-17',
      date_type: 'issued',
      types: ['enhancement', 'bugfix'],
    })
  })

  it('changes them, and takes them away', async () => {
    const other = filter('old', 'rpm', { package_name: 'walrus', max_version: '0.1' })
    const absent = (task: AnsibleTask, state: string): AnsibleTask => ({
      ...task,
      name: `no ${task.name}`,
      options: { ...task.options, [state]: 'absent' },
    })
    const gone = [
      ...things
        .filter(({ name }) => ['hard', 'told', 'late'].includes(name))
        .map((task) => absent(task, 'filter_state')),
      ...things.filter(({ name }) => name.startsWith('rule')).map((task) => absent(task, 'state')),
    ]

    assert.deepEqual(namesOfChanged(await run([other, other, ...gone, ...gone])), [
      'old',
      'no hard',
      'no told',
      'no late',
      'no rule of old',
      'no rule of streams',
    ])
    const { total } = await views.lab.show(`packages?repository_id=${views.repository.id}`)
    assert.equal((await published()).length, total)
  })
})
