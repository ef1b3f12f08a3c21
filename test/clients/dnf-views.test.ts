import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Dnf, lacksDnf } from '../support/dnf.ts'
import type { Json } from '../support/json.ts'
import { PackageViews } from '../support/package-views.ts'
import { nativeArch } from '../support/rpm-build.ts'
import { lacksYumUpstream } from '../support/yum-upstream.ts'

describe('the real dnf and filtered content views', { skip: lacksDnf || lacksYumUpstream }, () => {
  let views: PackageViews
  before(async () => {
    views = await PackageViews.start()
  })
  after(() => views?.[Symbol.asyncDispose]())

  /** In Library, where a version is shown when it is published. */
  function open(copy: Json): Promise<Dnf> {
    const { lab, upstream } = views
    const baseurl = `${lab.server.content}/content/${copy.relative_path}/`
    return Dnf.open({ baseurl, gpgcheck: true, gpgkey: upstream.keyUrl })
  }

  it('sees and installs what is left, with what is left of advisories, groups and modules', async () => {
    await using dnf = await open(
      await views.publish(
        { type: 'rpm', rules: [{ name: 'crab' }, { name: 'walrus', max_version: '1' }] },
        { type: 'modulemd', rules: [{ name: 'tentacles:1' }] },
      ),
    )

    const packages = await dnf.lines('repoquery', '-a', '--disable-modular-filtering')
    const groups = await dnf.lines('group', 'list', '--ids')
    const modules = await dnf.lines('module', 'list')
    await dnf.lines('install', 'whale')
    const advisories = await dnf.lines('updateinfo', 'list', '--all')

    assert.deepEqual(packages.toSorted(), [
      'narwhal-0:1.0-1.noarch',
      'octopus-0:2.0-1.noarch',
      'walrus-0:5.21-1.noarch',
      'whale-0:1.0-1.src',
      `whale-0:1.0-1.${nativeArch}`,
    ])
    assert.deepEqual(
      advisories.map((line) => /SEA-[\d:]+/.exec(line)?.[0]),
      ['SEA-2024:0001'],
    )
    assert.ok(groups.some((line) => line.includes('mammals')) && !groups.some((line) => line.includes('shells')))
    assert.ok(modules.some((line) => /^tentacles +2/.test(line)) && !modules.some((line) => /^tentacles +1/.test(line)))
    assert.deepEqual(await dnf.installed(), ['walrus-5.21-1.noarch', `whale-1.0-1.${nativeArch}`])
  })

  it('is offered only what advisories of security bring', async () => {
    const rules = [{ types: ['security'], end_date: '2024-12-31' }]
    await using dnf = await open(await views.publish({ type: 'erratum', inclusion: true, rules }))

    assert.deepEqual(await dnf.lines('repoquery', '-a'), ['walrus-0:5.21-1.noarch', 'whale-0:1.0-1.src'])
    await dnf.lines('install', 'walrus')
    assert.deepEqual(await dnf.installed(), ['walrus-5.21-1.noarch'])
  })
})
