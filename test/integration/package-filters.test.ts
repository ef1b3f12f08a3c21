import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { refused } from '../support/error-answers.ts'
import type { Json } from '../support/json.ts'
import { PackageViews, type WantedFilter } from '../support/package-views.ts'
import { lacksYumUpstream } from '../support/yum-upstream.ts'

const [walrus, newWalrus] = ['walrus-0.71-1.noarch', 'walrus-5.21-1.noarch'] as const
const [crab, newCrab] = ['crab-2.0~rc1-1.noarch', 'crab-2.0-1.noarch'] as const
const [narwhal, whale] = ['narwhal-1.0-1.noarch', 'whale-1.0-1.native'] as const
const [octopus, newOctopus] = ['octopus-1.0-1.noarch', 'octopus-2.0-1.noarch'] as const
const plain = [crab, newCrab, narwhal, walrus, newWalrus, whale]
const all = [...plain, octopus, newOctopus]

describe('a filter of packages', { skip: lacksYumUpstream }, () => {
  let views: PackageViews
  before(async () => {
    views = await PackageViews.start()
  })
  after(() => views?.[Symbol.asyncDispose]())

  const packages = async (...filters: readonly WantedFilter[]) => (await views.chosen(...filters))['packages']
  /** What filters of inclusion, and those of exclusion, say of packages. */
  const including = (type: string, ...rules: readonly object[]) => packages({ type, inclusion: true, rules })
  const excluding = (type: string, ...rules: readonly object[]) => packages({ type, rules })
  const sorted = (...names: readonly string[]) => [...names].sort()
  const without = (...names: readonly string[]) => all.filter((name) => !names.includes(name)).sort()

  it('names them by patterns, and acts only on those that belong to no module', async () => {
    assert.deepEqual(await including('rpm', { name: 'w*' }), sorted(walrus, newWalrus, whale, octopus, newOctopus))
    assert.deepEqual(
      await including('rpm', { name: 'whal?' }, { name: 'crab' }),
      sorted(whale, crab, newCrab, octopus, newOctopus),
    )
    assert.deepEqual(await excluding('rpm', { name: '*' }), sorted(octopus, newOctopus))
    assert.deepEqual(await including('rpm'), sorted(octopus, newOctopus))
    assert.deepEqual(await excluding('rpm', { name: 'wal_us' }, { name: '%' }), without())
  })

  it('compares versions as rpm does, and architectures', async () => {
    for (const [rule, named] of [
      [{ name: 'walrus', version: '5.21' }, [newWalrus]],
      [{ name: 'walrus', version: '5.21-1' }, [newWalrus]],
      [{ name: 'walrus', version: '5.21-2' }, []],
      [{ name: 'walrus', version: '1:5.21' }, []],
      [{ name: '*', min_version: '0.100' }, [crab, newCrab, narwhal, newWalrus, whale]],
      [{ name: 'crab', max_version: '2.0~rc2' }, [crab]],
      [{ name: 'crab', min_version: '1:2.0', max_version: '1:2.0-1' }, [newCrab]],
      [{ name: 'crab', min_version: '2:0' }, []],
      [{ name: 'crab', min_version: '3' }, []],
      [{ name: '*', architecture: 'no*' }, [crab, newCrab, narwhal, walrus, newWalrus]],
    ] as const) {
      assert.deepEqual(await excluding('rpm', rule), without(...named), JSON.stringify(rule))
    }
  })

  it('takes along what is about packages of which none stays, and leaves what is about others', async () => {
    const { packages: _, ...others } = await views.chosen({ type: 'rpm', inclusion: true, rules: [{ name: 'walrus' }] })
    assert.deepEqual(others, {
      sources: ['whale-1.0-1.src'],
      errata: ['SEA-2024:0001'],
      groups: ['mammals'],
      modules: ['tentacles:1', 'tentacles:2'],
    })
    const old = await views.chosen({ type: 'rpm', rules: [{ name: 'walrus', version: '5.21' }] })
    assert.deepEqual([old['errata'], old['groups']], [['SEA-2024:0002'], ['mammals', 'shells']])
  })

  it('can name what no advisory names', async () => {
    const original_packages = true
    assert.deepEqual(
      await packages({ type: 'rpm', inclusion: true, original_packages, rules: [] }),
      without(newWalrus, newCrab),
    )
    assert.deepEqual(
      await packages({ type: 'rpm', original_packages, rules: [{ name: 'walrus' }] }),
      sorted(newCrab, octopus, newOctopus),
    )
  })

  it('by advisories decides over the packages that they name', async () => {
    const first = await views.chosen({ type: 'erratum', inclusion: true, rules: [{ errata_id: 'SEA-2024:0001' }] })
    assert.deepEqual(first, {
      packages: [newWalrus],
      sources: ['whale-1.0-1.src'],
      errata: ['SEA-2024:0001'],
      groups: ['mammals'],
      modules: [],
    })
    const second = await views.chosen({ type: 'erratum', rules: [{ errata_ids: ['SEA-2024:0001', 'SEA-0'] }] })
    assert.deepEqual([second['packages'], second['errata']], [without(newWalrus), ['SEA-2024:0002']])
  })

  it('by types and days of advisories counts the first and the last', async () => {
    for (const [rule, named] of [
      [{ types: ['security'] }, [newWalrus]],
      [{ types: ['bugfix', 'enhancement'] }, [newCrab]],
      [{ start_date: '2024-01-16', end_date: '2024-01-16' }, [newWalrus]],
      [{ start_date: '2024-01-16', date_type: 'issued' }, [newCrab]],
      [{ end_date: '2024-01-15', date_type: 'issued' }, [newWalrus]],
      [{ end_date: '2024-01-15', date_type: 'updated' }, []],
      [{ start_date: '2024-01-15', types: ['security', 'bugfix'] }, [newWalrus]],
      [{ start_date: '2024-01-01', end_date: '2024-12-31' }, [newWalrus, newCrab]],
    ] as const) {
      assert.deepEqual(await excluding('erratum', rule), without(...named), JSON.stringify(rule))
    }
  })

  it('by groups decides over the packages that they name, and excludes the groups', async () => {
    const { packages: named, groups } = await views.chosen({
      type: 'package_group',
      inclusion: true,
      rules: [{ name: 'Mam*' }],
    })
    assert.deepEqual([named, groups], [sorted(narwhal, walrus, newWalrus, whale, octopus, newOctopus), ['mammals']])
    const { results } = await views.lab.show(`package_groups?repository_id=${views.repository.id}`)
    const { uuid } = results.find((group: Json) => group['package_group_id'] === 'shells')
    for (const rule of [{ uuid }, { uuid: 'shells' }])
      assert.deepEqual(await excluding('package_group', rule), without(crab, newCrab))
  })

  it('has rules that are found by what they say', async () => {
    const view = await views.lab.createView({ repositories: [views.repository] })
    const list = async (id: number, query: string) => {
      const { results, total, subtotal } = await views.lab.show(`content_view_filters/${id}/rules?${query}`)
      return [total, subtotal, results.map(({ name, errata_id }: Json) => name ?? errata_id)]
    }
    const byName = await views.addFilter(view, { type: 'rpm', rules: [{ name: 'crab' }, { name: 'whale' }] })
    for (const [query, found] of [
      ['', ['crab', 'whale']],
      ['search=name%3D"whale"', ['whale']],
      ['search=name%3D"walrus"', []],
      ['name=whale', ['whale']],
      ['per_page=1&page=2', ['whale']],
      ['order=name%20desc', ['whale', 'crab']],
    ] as const)
      assert.deepEqual((await list(byName.id, query))[2], found, query)
    assert.deepEqual(await list(byName.id, 'search=name%3Dcrab'), [2, 1, ['crab']])
    const rules = [{ errata_id: 'SEA-2024:0001' }, { errata_id: 'SEA-2024:0002' }]
    const byAdvisory = await views.addFilter(view, { type: 'erratum', rules })
    assert.deepEqual(await list(byAdvisory.id, 'errata_id=SEA-2024:0002'), [1, 1, ['SEA-2024:0002']])
  })

  it('by modules decides over streams and over the packages that belong to modules', async () => {
    const first = await views.chosen({ type: 'modulemd', inclusion: true, rules: [{ name: 'tentacles:1' }] })
    assert.deepEqual([first['packages'], first['modules']], [without(newOctopus), ['tentacles:1']])
    const none = await views.chosen({ type: 'modulemd', rules: [{ name: 'tentacles' }] })
    assert.deepEqual([none['packages'], none['modules']], [sorted(...plain), []])
    const { results } = await views.lab.show(`module_streams?repository_id=${views.repository.id}`)
    const { id } = results.find(({ stream }: Json) => stream === '2')
    assert.deepEqual(await excluding('modulemd', { module_stream_ids: [id] }), without(newOctopus))
    const original = { type: 'modulemd', original_module_streams: true, rules: [] }
    assert.deepEqual(await packages(original), sorted(...plain))
  })

  it('acts together with others: something must include, and nothing exclude', async () => {
    const chosen = await views.chosen(
      { type: 'rpm', inclusion: true, rules: [{ name: 'whale' }] },
      { type: 'erratum', inclusion: true, rules: [{ types: ['security', 'enhancement'] }] },
      { type: 'modulemd', inclusion: true, rules: [{ name: 'tentacles:2' }] },
      { type: 'package_group', rules: [{ name: 'Shells' }] },
    )
    assert.deepEqual(chosen, {
      packages: sorted(newWalrus, whale, newOctopus),
      sources: ['whale-1.0-1.src'],
      errata: ['SEA-2024:0001'],
      groups: ['mammals'],
      modules: ['tentacles:2'],
    })
  })

  it('is refused with rules that say nothing or too much', async () => {
    const view = await views.lab.createView({ repositories: [views.repository] })
    for (const [type, rule, field] of [
      ['rpm', {}, 'name'],
      ['rpm', { name: 'x', version: '1', min_version: '1' }, 'version'],
      ['rpm', { name: 'x', version: '1 2' }, 'version'],
      ['rpm', { name: 'x', errata_id: 'x' }, 'errata_id'],
      ['erratum', {}, 'errata_id'],
      ['erratum', { date_type: 'issued' }, 'errata_id'],
      ['erratum', { errata_id: 'x', start_date: '2024-01-01' }, 'errata_id'],
      ['erratum', { start_date: '2024-02-30' }, 'start_date'],
      ['erratum', { types: ['rocket'] }, 'types[0]'],
      ['package_group', {}, 'name'],
      ['modulemd', { module_stream_ids: [] }, 'module_stream_ids'],
    ] as const) {
      const { id } = await views.addFilter(view, { type, rules: [] })
      const path = `/content/api/content_view_filters/${id}/rules`
      const answer = await views.lab.server.ask(path, { method: 'POST', body: rule })
      refused(answer, field)
    }
    const body = { content_view_id: view.id, name: 'x', type: 'rpm', original_module_streams: true }
    const answer = await views.lab.server.ask('/content/api/content_view_filters', { method: 'POST', body })
    refused(answer, 'original_module_streams', 'not for filters of type rpm')
  })

  it('shows what was said of it, is changed, and is copied with its view', async () => {
    const view = await views.lab.createView({ repositories: [views.repository] })
    const rules = [{ name: 'x', version: '1' }]
    const filter = await views.addFilter(view, { type: 'rpm', original_packages: true, rules })
    assert.deepEqual([filter['original_packages'], filter.rules[0]], [true, { id: filter.rules[0].id, ...rules[0] }])
    const path = `/content/api/content_view_filters/${filter.id}`
    const change = { method: 'PUT', body: { version: null, min_version: '2' } }
    const rule = await views.lab.server.ask(`${path}/rules/${filter.rules[0].id}`, change)
    assert.deepEqual(rule.body, { id: filter.rules[0].id, name: 'x', min_version: '2' })
    const copy = await views.lab.create(`content_views/${view.id}/copy`, { name: 'Copy of filtered packages' })
    const list = async () => (await views.lab.show(`content_views/${copy.id}/filters`)).results
    assert.equal((await list())[0]['original_packages'], true)
    const body = { original_packages: false }
    assert.equal((await views.lab.server.ask(path, { method: 'PUT', body })).body['original_packages'], false)
  })
})
