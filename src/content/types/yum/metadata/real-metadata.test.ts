import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { lacksProgram } from '../../../../../test/support/programs.ts'
import { decompress } from '../../../../platform/compression/decompress.ts'
import { readComps } from './read-comps.ts'
import { readFilelists, readOther } from './read-fragments.ts'
import { readModules } from './read-modules.ts'
import { readPrimary } from './read-primary.ts'
import { findMetadata, readRepomd } from './read-repomd.ts'
import { readUpdateinfo } from './read-updateinfo.ts'

const spec = `Name: sample
Version: 1.0~rc1
Release: 2
Epoch: 3
Summary: Größe <&> "so"
License: MIT
BuildArch: noarch
%description
Some text & more.
%package extra
Summary: Another one
Requires: sample = 3:%{version}
%description extra
Nothing.
%install
mkdir -p %{buildroot}/usr/bin "%{buildroot}/usr/share/a & b"
echo 1 > %{buildroot}/usr/bin/sample
echo 2 > "%{buildroot}/usr/share/a & b/é"
%files
/usr/bin/sample
%files extra
/usr/share/*
%changelog
* Thu Jan 01 2026 Somebody <somebody@example.com> - 1.0-1
- Began & ended
`
const comps =
  '<comps><group><id>g</id><name>G</name><packagelist><packagereq type="default">sample</packagereq></packagelist></group></comps>'
const updateinfo =
  '<updates><update type="security"><id>EX-1</id><title>T</title><pkglist><collection><package name="sample" epoch="3" version="1.0~rc1" release="2" arch="noarch"><filename>x.rpm</filename></package></collection></pkglist></update></updates>'
const modules =
  '---\ndocument: modulemd\nversion: 2\ndata:\n  name: m\n  stream: 1\n  version: 1\n  context: c\n  arch: noarch\n'

const skip = lacksProgram('createrepo_c', 'modifyrepo_c', 'rpmbuild')

describe('metadata that createrepo_c wrote', { skip }, () => {
  let folder = ''

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'backhaul-metadata-'))
    const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
    write('sample.spec', spec)
    write('comps.xml', comps)
    write('updateinfo.xml', updateinfo)
    write('modules.yaml', modules)
    execFileSync('rpmbuild', ['-bb', '--quiet', '--define', `_topdir ${folder}/build`, join(folder, 'sample.spec')], {
      stdio: 'pipe',
    })
  })

  after(() => rmSync(folder, { recursive: true, force: true }))

  function createRepository(compression: string, checksum: string): string {
    const repository = join(folder, `${compression}-${checksum}`)
    mkdirSync(repository)
    const rpms = join(folder, 'build/RPMS/noarch')
    for (const name of readdirSync(rpms)) execFileSync('cp', [join(rpms, name), repository])
    const run = (program: string, args: readonly string[]) => execFileSync(program, args, { stdio: 'pipe' })
    const type = [`--general-compress-type=${compression}`, `--checksum=${checksum}`]
    run('createrepo_c', ['-q', ...type, '-g', join(folder, 'comps.xml'), repository])
    for (const [file, mdType] of [
      ['updateinfo.xml', 'updateinfo'],
      ['modules.yaml', 'modules'],
    ] as const)
      run('modifyrepo_c', [
        '--compress',
        `--compress-type=${compression}`,
        `--mdtype=${mdType}`,
        join(folder, file),
        join(repository, 'repodata'),
      ])
    return repository
  }

  for (const [compression, checksum, type] of [
    ['gz', 'sha256', 'sha256'],
    ['xz', 'sha512', 'sha512'],
    ['bz2', 'sha', 'sha1'],
  ] as const) {
    it(`is read with ${compression} and ${checksum}`, async () => {
      const repository = createRepository(compression, checksum)
      const repomd = await readRepomd(createReadStream(join(repository, 'repodata/repomd.xml')))
      async function* open(name: string) {
        const record = findMetadata(repomd, name)
        assert.ok(record, name)
        const path = join(repository, record.location.href)
        const bytes = readFileSync(path)
        assert.equal(createHash(record.checksum.type).update(bytes).digest('hex'), record.checksum.value)
        const { signal } = new AbortController()
        const hash = createHash('sha256')
        for await (const chunk of decompress(createReadStream(path), { name, maxBytes: 1e6, signal })) {
          hash.update(chunk)
          yield chunk
        }
        if (record.openChecksum?.type === 'sha256') assert.equal(hash.digest('hex'), record.openChecksum.value)
      }

      const [batch] = await Array.fromAsync(readPrimary(open('primary')))
      const [main, extra] = (batch?.packages ?? []).toSorted((a, b) => a.fields.name.localeCompare(b.fields.name))
      assert.ok(main && extra)
      const { name, epoch, version, release, arch, summary, sourceRpm, sizeBytes } = main.fields
      assert.deepEqual(
        [name, epoch, version, release, arch, summary],
        ['sample', 3, '1.0~rc1', '2', 'noarch', 'Größe <&> "so"'],
      )
      assert.equal(sourceRpm, 'sample-1.0~rc1-2.src.rpm')
      const rpm = readFileSync(join(repository, main.location.href))
      assert.equal(sizeBytes, rpm.length)
      assert.deepEqual(main.checksum, { type, value: createHash(type).update(rpm).digest('hex') })
      assert.match(main.fragment.beforeLocation, /<description>Some text &amp; more\.<\/description>/)
      assert.match(extra.fragment.afterLocation, /<rpm:entry name="sample" flags="EQ" epoch="3" ver="1.0~rc1"\/>/)

      const [files] = await Array.fromAsync(readFilelists(open('filelists')))
      const [others] = await Array.fromAsync(readOther(open('other')))
      const innerOf = (list: typeof files, pkgid: string) =>
        list?.packages.find((each) => each.pkgid === pkgid)?.inner ?? ''
      assert.match(innerOf(files, extra.checksum.value), /<file>\/usr\/share\/a &amp; b\/é<\/file>/)
      assert.match(
        innerOf(others, main.checksum.value),
        /<changelog author="Somebody &lt;somebody@example\.com&gt; - 1\.0-1"/,
      )
      assert.deepEqual([batch?.warning, files?.warning, others?.warning], [undefined, undefined, undefined])

      const { groups } = await readComps(open('group'))
      assert.deepEqual(
        groups.map(({ id, packages }) => [id, packages[0]?.name]),
        [['g', 'sample']],
      )
      const [advisories] = await Array.fromAsync(readUpdateinfo(open('updateinfo')))
      assert.deepEqual(
        advisories?.map(({ id }) => id),
        ['EX-1'],
      )
      const found = await Array.fromAsync(readModules(open('modules')))
      assert.ok(found[0]?.kind === 'stream' && found[0].name === 'm')
    })
  }
})
