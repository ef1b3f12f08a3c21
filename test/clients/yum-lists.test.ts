import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { fetchPublished, syncToEnd } from '../support/content.ts'
import type { Json } from '../support/json.ts'
import { ViewLab } from '../support/view-lab.ts'
import { lacksYumUpstream, startYumUpstream, type YumUpstream } from '../support/yum-upstream.ts'

describe('what a repository of packages holds', { skip: lacksYumUpstream }, () => {
  let lab: ViewLab
  let upstream: YumUpstream
  let repository: Json
  before(async () => {
    lab = await ViewLab.start()
    upstream = await startYumUpstream(['gz'])
    repository = await lab.createRepository(
      {},
      { content_type: 'yum', url: upstream.url('gz'), download_policy: 'on_demand' },
    )
    assert.equal((await syncToEnd(lab.server, repository.id)).result, 'success')
  })
  after(async () => {
    await upstream?.[Symbol.asyncDispose]()
    await lab?.[Symbol.asyncDispose]()
  })

  async function found(list: string, search: string): Promise<Json[]> {
    const { results, error } = await lab.show(
      `${list}?repository_id=${repository.id}&search=${encodeURIComponent(search)}`,
    )
    assert.equal(error ?? null, null)
    return results
  }

  it('is counted by kinds', async () => {
    const { content_counts: counts } = await lab.show(`repositories/${repository.id}`)
    const { rpm, package: packages, srpm, erratum, package_group, module_stream } = counts
    assert.deepEqual([rpm, packages, srpm, erratum, package_group, module_stream], [8, 8, 1, 2, 2, 2])
    for (const label of [
      'rpm',
      'srpm',
      'modulemd',
      'erratum',
      'package_group',
      'package_category',
      'yum_repo_metadata_file',
    ])
      assert.deepEqual(
        (await lab.list({ with_content: label })).map(({ id }) => id),
        [repository.id],
        label,
      )
    assert.deepEqual(await lab.list({ with_content: 'deb' }), [])
  })

  it('is listed with packages, whose versions are in the order of rpm', async () => {
    const names = async (search: string) => (await found('packages', search)).map(({ nvrea }) => nvrea).sort()
    assert.deepEqual(await names('name = crab and version < 2.0'), ['1:crab-2.0~rc1-1.noarch'])
    assert.deepEqual(await names('evr >= 1:2.0-1'), ['1:crab-2.0-1.noarch'])
    assert.deepEqual(await names('version > 0.100 and name = walrus'), ['walrus-5.21-1.noarch'])
    assert.deepEqual(await names('filename = walrus-5.21-1.noarch.rpm'), ['walrus-5.21-1.noarch'])
    const [walrus] = await found('packages', 'name=walrus,version=5.21')
    assert.equal(walrus?.summary, 'The walrus with <two> tusks & a “beard”')
    const holding = (id: unknown) => lab.list({ rpm_id: id }).then((rows) => rows.map((row) => row.id))
    assert.deepEqual(
      [await holding(walrus?.id), await holding(walrus?.checksum), await holding(999_999)],
      [[repository.id], [repository.id], []],
    )
    assert.equal((await found('srpms', 'name = whale')).length, 1)
  })

  it('is listed with advisories', async () => {
    const ids = async (search: string) => (await found('errata', search)).map(({ errata_id }) => errata_id)
    assert.deepEqual(await ids(''), ['SEA-2024:0002', 'SEA-2024:0001'])
    for (const search of [
      'type = security',
      'cve = CVE-2024-0001',
      'bug = 1',
      'package_name = walrus',
      'package ~ walrus-5',
      'issued < "2024-01-16"',
      'severity = Important',
      'errata_id = SEA-2024:0001',
    ])
      assert.deepEqual(await ids(search), ['SEA-2024:0001'], search)
    const [advisory] = await found('errata', 'errata_id = SEA-2024:0001')
    assert.deepEqual(
      [advisory?.issued, advisory?.updated, advisory?.packages, advisory?.description],
      ['2024-01-15', '2024-01-16', ['walrus-5.21-1.noarch'], 'It is blunt now & safe.'],
    )
    assert.deepEqual(advisory?.cves, [{ cve_id: 'CVE-2024-0001', href: 'https://cve.sea.example/CVE-2024-0001' }])
    assert.deepEqual(
      (await lab.list({ erratum_id: 'SEA-2024:0001' })).map(({ id }) => id),
      [repository.id],
    )
    assert.deepEqual(await lab.list({ erratum_id: 'SEA-2024:9999' }), [])
    assert.equal((await lab.show(`errata/${advisory?.id}`)).title, 'Important: walrus security update')
  })

  it('is listed with groups and streams of modules', async () => {
    assert.deepEqual(
      (await found('package_groups', 'name = Mammals')).map((group) => group['package_group_id']),
      ['mammals'],
    )
    const [stream] = await found('module_streams', 'name = tentacles and stream = 2')
    assert.deepEqual([stream?.module_spec, stream?.artifacts], ['tentacles:2', [{ name: 'octopus-0:2.0-1.noarch' }]])
  })

  it('is published with what nobody knows, as it came', async () => {
    const index = await (await fetchPublished(lab.server, repository, 'repodata/repomd.xml')).text()
    const types = [...index.matchAll(/<data type="([^"]+)">/g)].map(([, type]) => type)
    assert.deepEqual(types.toSorted(), [
      'filelists',
      'group',
      'lighthouse',
      'modules',
      'other',
      'primary',
      'productid',
      'updateinfo',
    ])
  })

  it('changes with its upstream', async () => {
    const task = await syncToEnd(lab.server, repository.id)
    assert.equal(task.output.contents_changed, false)
    const again = await lab.work('POST', `repositories/${repository.id}/sync`, { skip_metadata_check: true })
    assert.deepEqual([again.output.added, again.output.removed], [0, 0])
  })
})
