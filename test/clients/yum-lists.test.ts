import assert from 'node:assert/strict'
import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { zstdDecompressSync } from 'node:zlib'
import { fetchPublished, syncToEnd } from '../support/content.ts'
import { Dnf, lacksDnf } from '../support/dnf.ts'
import type { Json } from '../support/json.ts'
import { output } from '../support/run.ts'
import { ViewLab } from '../support/view-lab.ts'
import { updateinfo } from '../support/yum-samples.ts'
import { lacksYumUpstream, startYumUpstream, type YumUpstream } from '../support/yum-upstream.ts'

describe('what a repository of packages holds', { skip: lacksYumUpstream || lacksDnf }, () => {
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

  it('is shown with everything that a package tells of itself', async () => {
    const [walrus] = await found('packages', 'name=walrus,version=5.21')
    const shown = await lab.show(`repositories/${repository.id}/packages/${walrus?.id}`)
    const file = join(upstream.folder, 'gz/Packages', 'walrus-5.21-1.noarch.rpm')
    const query = async (format: string) => String(await output('rpm', ['-qp', '--nosignature', '--qf', format, file]))
    assert.deepEqual(
      [shown.description, shown.license, shown.buildhost, String(shown.build_time)],
      (await query('%{description}|%{license}|%{buildhost}|%{buildtime}')).split('|'),
    )
    assert.equal(
      shown.build_time_utc,
      `${new Date(shown.build_time * 1000).toISOString().slice(0, 19).replace('T', ' ')} UTC`,
    )
    assert.deepEqual(shown.files, (await query('[%{filenames}\\n]')).trim().split('\n'))
    assert.deepEqual(shown.provides, (await query('[%{providenevrs}\\n]')).trim().split('\n'))
    assert.equal(shown.size, (await stat(file)).size)
    assert.match(shown.human_readable_size, /^[\d.]+ KB$/)
    assert.deepEqual([shown.checksumtype, shown.relativepath], ['sha256', 'Packages/w/walrus-5.21-1.noarch.rpm'])
    assert.equal((await fetchPublished(lab.server, repository, shown.relativepath)).status, 200)
    const [whale] = await found('packages', 'name = whale')
    assert.ok((await lab.show(`packages/${whale?.id}`)).requires.includes('walrus >= 0.71'))
    assert.equal(walrus?.description, undefined)
  })

  it('says which packages belong to modules', async () => {
    const names = async (search: string) => (await found('packages', search)).map(({ nvrea }) => nvrea).sort()
    assert.deepEqual(await names('modular = true'), ['octopus-1.0-1.noarch', 'octopus-2.0-1.noarch'])
    const [octopus] = await found('packages', 'name = octopus')
    const [crab] = await found('packages', 'name = crab and modular = false')
    assert.deepEqual([octopus?.modular, crab?.modular], [true, false])
  })

  it('finds packages by any of their fields', async () => {
    const [crab] = await found('packages', 'evr = 1:2.0-1')
    assert.equal(crab?.name, 'crab')
    for (const search of [
      'epoch = 1 and version = 2.0',
      'name = crab and release = 1 and version != "2.0~rc1"',
      `checksum = ${crab?.checksum}`,
      'filename = crab-2.0-1.noarch.rpm',
      'name = crab and evr > "1:2.0~rc1-1"',
      `id = ${crab?.id}`,
      `name = crab and arch = noarch and version ^ (2.0, 3.0)`,
      'sourcerpm = crab-2.0-1.src.rpm',
      `crab-2.0-1 and repository = "${repository.name}"`,
    ])
      assert.deepEqual(
        (await found('packages', search)).map(({ id }) => id),
        [crab?.id],
        search,
      )
    const { results } = await lab.show(
      `packages?repository_id=${repository.id}&search=name=walrus&order=${encodeURIComponent('version desc')}`,
    )
    assert.deepEqual(
      results.map(({ version }: Json) => version),
      ['5.21', '0.71'],
    )
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
      'updated > "2024-01-15" and updated < "2024-01-17"',
      'title ~ walrus and modular = false',
      'bug ^ (1, 2) and reboot_suggested = false',
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

  it('has an advisory once of which upstreams tell differently', async () => {
    const folder = await upstream.copy('gz', 'advising')
    const own = await lab.createRepository(
      {},
      { content_type: 'yum', url: upstream.url('gz'), download_policy: 'on_demand', mirror_on_sync: false },
    )
    assert.equal((await syncToEnd(lab.server, own.id)).result, 'success')
    const changed = updateinfo
      .replace('2024-01-16 12:00:00', '2024-01-20 12:00:00')
      .replace('It is blunt', 'It is even blunter')
      .replaceAll('"walrus"', '"seal"')
    await writeFile(join(folder, 'updateinfo.xml'), changed)
    await output('modifyrepo_c', ['--mdtype=updateinfo', join(folder, 'updateinfo.xml'), join(folder, 'repodata')])
    await lab.work('POST', `repositories/${own.id}/sync`, { source_url: upstream.url('advising'), incremental: true })
    await using dnf = await Dnf.open({ baseurl: `${lab.server.content}/content/${own.relative_path}/` })
    await dnf.lines('install', 'walrus-0.71')
    const lines = (await dnf.lines('updateinfo', 'info')).map((line) => line.trim())
    assert.equal(lines.filter((line) => line.includes('SEA-2024:0001')).length, 1, lines.join('\n'))
    assert.equal(lines.filter((line) => line.includes('It is even blunter now & safe.')).length, 1, lines.join('\n'))
    const index = await (await fetchPublished(lab.server, own, 'repodata/repomd.xml')).text()
    const [href = ''] = /repodata\/[0-9a-f]+-updateinfo\.xml\.zst/.exec(index) ?? []
    const bytes = await (await fetchPublished(lab.server, own, href)).arrayBuffer()
    const names = String(zstdDecompressSync(Buffer.from(bytes))).match(/<package name="[^"]+/g)
    assert.deepEqual(
      names?.map((name) => name.slice('<package name="'.length)),
      ['seal', 'walrus', 'crab'],
    )
  })

  it('changes with its upstream', async () => {
    const task = await syncToEnd(lab.server, repository.id)
    assert.equal(task.output.contents_changed, false)
    const again = await lab.work('POST', `repositories/${repository.id}/sync`, { skip_metadata_check: true })
    assert.deepEqual([again.output.added, again.output.removed], [0, 0])
  })
})
