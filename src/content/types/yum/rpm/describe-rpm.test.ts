import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempDisposable, readdir, readFile, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { lacksProgram } from '../../../../../test/support/programs.ts'
import { buildRpms, type RpmBuild, type RpmSpec } from '../../../../../test/support/rpm-fixtures.ts'
import { parseXml, type XmlTree } from '../../../../../test/support/xml-tree.ts'
import { renderFilelists, renderOther, renderPrimary } from '../packages/package-fragments.ts'
import { type DescribedRpm, describeRpm } from './describe-rpm.ts'
import { parseRpmHeaders } from './read-rpm-headers.ts'

const skip = lacksProgram('rpmbuild', 'createrepo_c')

const lists = ['primary', 'filelists', 'other'] as const

interface Case {
  readonly what: string
  readonly spec: RpmSpec | Buffer
  readonly build?: RpmBuild
}

const manyRequires = [
  'a',
  'b >= 1',
  'b < 2',
  'c = 3:1.2-4',
  'd > 1',
  'e <= 1~rc1^git-1',
  '/bin/sh',
  '/usr/lib/odd',
  'config(x)',
  '(f or g)',
  'perl(X::Y) >= 2.0',
]

const cases: readonly Case[] = [
  { what: 'nothing but a name', spec: { name: 'plain' } },
  ...['w9.gzdio', 'w2.xzdio', 'w3.zstdio', 'w9.bzdio', 'w7.lzdio', 'w.ufdio'].map((payload) => ({
    what: `a payload of ${payload}`,
    spec: { name: `payload-${payload.replace('.', '')}`, files: [{ path: '/usr/share/a', text: 'a'.repeat(5000) }] },
    build: { payload },
  })),
  {
    what: 'everything that a header says in text',
    spec: {
      name: 'texts',
      preamble: [
        'Epoch: 7',
        'Vendor: A & B',
        'Group: Development/<Tools>',
        'URL: https://example.org/?a=1&b="2"',
        'Packager: Ä Ö <a@example.org>',
        'ModularityLabel: nodejs:18:9020240101:rhel9',
        'VCS: git:https://example.org/x',
      ],
      summary: 'Grüße, 世界 & <others> "quoted" 🙂',
      description: 'First line\n  indented & <escaped>\n\n\tTab, ]]> and more.\nLast',
    },
  },
  { what: 'text that is not UTF-8', spec: latin1('latin1', 'caf\xe9 \xfc') },
  {
    what: 'another architecture',
    spec: { name: 'arched', files: [{ path: '/usr/lib64/x' }] },
    build: { target: 'x86_64' },
  },
  {
    what: 'a source package',
    spec: { name: 'source', preamble: ['Source0: source.txt', 'BuildRequires: make >= 4'], changelog: changelogOf(2) },
    build: { isSource: true },
  },
  {
    what: 'files of all kinds',
    spec: {
      name: 'files',
      files: [
        { path: '/etc/files', kind: 'dir' },
        { path: '/etc/files/a.conf', kind: 'config' },
        { path: '/etc/files/ghost', kind: 'ghost' },
        { path: '/usr/bin/run & <fly>' },
        { path: '/usr/sbin', kind: 'dir' },
        { path: '/usr/lib/sendmail' },
        { path: '/usr/lib/sendmail2' },
        { path: '/usr/share/cabin/x' },
        { path: '/usr/share/ü 世界' },
        { path: '/usr/share/doc/files/README', kind: 'doc' },
        { path: '/var/log/files.log', kind: 'ghost' },
      ],
    },
  },
  {
    what: 'dependencies of all kinds',
    spec: {
      name: 'dependent',
      preamble: [
        ...manyRequires.map((each) => `Requires: ${each}`),
        ...['pre', 'post', 'preun', 'postun', 'interp'].map((when) => `Requires(${when}): for-${when} >= 1`),
        'Requires(pre): a',
        'Provides: p',
        'Provides: p2 = 1:2-3',
        'Provides: own',
        'Requires: own',
        'Provides: own-versioned = 2',
        'Requires: own-versioned = 2',
        'Requires: own-versioned >= 1',
        'Conflicts: c1 < 2',
        'Obsoletes: o1 <= 3',
        'Recommends: r1',
        'Recommends: (r2 if r3)',
        'Suggests: s1 = 1',
        'Supplements: u1',
        'Enhances: e1 > 5',
      ],
    },
  },
  {
    what: 'dependencies on its own files and configuration',
    spec: {
      name: 'own-files',
      preamble: [
        'Requires: /usr/bin/own',
        'Requires: /usr/share/own',
        'Requires: /etc/own.conf',
        'Requires: config(own-files) = 1.0-1',
      ],
      files: [{ path: '/usr/bin/own' }, { path: '/usr/share/own' }, { path: '/etc/own.conf', kind: 'config' }],
    },
  },
  {
    what: 'several versions of the C library',
    spec: {
      name: 'libc',
      preamble: [
        'libc.so.6()(64bit)',
        'libc.so.6(GLIBC_2.2.5)(64bit)',
        'libc.so.6(GLIBC_2.34)(64bit)',
        'libc.so.6(GLIBC_2.4)(64bit)',
        'libc.so.6(GLIBC_PRIVATE)(64bit)',
        'libm.so.6(GLIBC_2.29)(64bit)',
        'zlib',
      ].map((each) => `Requires: ${each}`),
    },
    build: { target: 'x86_64' },
  },
  {
    what: 'scripts',
    spec: { name: 'scripts', sections: '%pre\necho\n%post -p /bin/sh\necho\n%postun -p <lua>\nprint(1)\n' },
  },
  { what: 'a long changelog', spec: { name: 'logs', changelog: changelogOf(25) } },
  { what: 'several changelogs of a day', spec: { name: 'same-day', changelog: changelogOf(8, 3) } },
  {
    what: 'a version with tilde and caret',
    spec: { name: 'versioned', version: '1.0~rc1^20240101git', release: '0.1.el9' },
  },
  { what: 'many packages of one specification', spec: { name: 'many', sections: packagesByLua(40) } },
  {
    what: 'thousands of files',
    spec: { name: 'crowd', sections: manyFiles(3000) },
  },
]

function latin1(name: string, text: string): Buffer {
  const spec = `Name: ${name}\nVersion: 1\nRelease: 1\nLicense: MIT\nSummary: ${text}\n%description\n${text}\n%files\n`
  return Buffer.from(spec, 'latin1')
}

/** Newest first; so many entries on each day. */
function changelogOf(count: number, perDay = 1): string[] {
  return Array.from({ length: count }, (_, number) => {
    const day = new Date(Date.UTC(2024, 5, 28) - Math.floor(number / perDay) * 86_400_000)
    const [weekday, date, month, year] = day.toUTCString().replace(',', '').split(' ')
    return [
      `* ${weekday} ${month} ${date} ${year} Ann Üser <ann@example.org> - 1.0-${count - number}`,
      `- change ${number} & <more>`,
      '  - indented',
      '',
    ]
  }).flat()
}

function packagesByLua(count: number): string {
  return `%{lua: for i = 1, ${count} do print("%package -n many-" .. i .. "\\nSummary: Number " .. i .. "\\nRequires: many = 1.0\\n%description -n many-" .. i .. "\\nText " .. i .. "\\n%files -n many-" .. i .. "\\n") end}`
}

function manyFiles(count: number): string {
  return `%{lua: for i = 1, ${count} do print("%package -n crowd-" .. i .. "\\n") break end}Summary: A crowd\n%description -n crowd-1\nText\n%files -n crowd-1\n%{lua: for i = 1, ${count} do print("%ghost /usr/share/crowd/" .. (i % 50) .. "/file-" .. i .. "\\n") end}`
}

describe('describeRpm()', { skip }, () => {
  const real = new Map<string, Record<(typeof lists)[number], XmlTree>>()
  const packages = new Map<string, string[]>()
  let folder: Awaited<ReturnType<typeof mkdtempDisposable>>

  before(async () => {
    folder = await mkdtempDisposable(join(tmpdir(), 'backhaul-describe-'))
    for (const { what, spec, build } of cases) {
      packages.set(what, await buildRpms(join(folder.path, 'rpms'), spec, build))
    }
    await promisify(execFile)('createrepo_c', ['-q', '--general-compress-type=gz', join(folder.path, 'rpms')])
    await readLists(join(folder.path, 'rpms/repodata'))
  })

  after(() => folder.remove())

  async function readLists(repodata: string): Promise<void> {
    const names = await readdir(repodata)
    for (const list of lists) {
      const name = names.find((each) => each.endsWith(`-${list}.xml.gz`)) as string
      const { children } = parseXml(gunzipSync(await readFile(join(repodata, name))).toString())
      for (const each of children) {
        if (typeof each === 'string') throw new Error('Text between packages')
        const entry = real.get(idOf(each)) ?? ({} as Record<(typeof lists)[number], XmlTree>)
        real.set(idOf(each), { ...entry, [list]: each })
      }
    }
  }

  async function describePackage(path: string): Promise<DescribedRpm & { sha256: string }> {
    const bytes = await readFile(path)
    const { size, mtimeMs } = await stat(path)
    const described = describeRpm(parseRpmHeaders(bytes), { sizeBytes: size, fileTime: Math.floor(mtimeMs / 1000) })
    return { ...described, sha256: createHash('sha256').update(bytes).digest('hex') }
  }

  for (const { what } of cases) {
    it(`says what createrepo_c says of ${what}`, async () => {
      const paths = packages.get(what) ?? []
      assert.notEqual(paths.length, 0)
      for (const path of paths) {
        const { fields, fragments, sha256 } = await describePackage(path)
        const href = path.split('/').at(-1) as string
        const expected = real.get(sha256)
        assert.ok(expected, path)
        assert.deepEqual(parseXml(renderPrimary(fragments.primary, { sha256, href })), expected.primary)
        assert.deepEqual(parseXml(renderFilelists(fields, fragments.filelists, { sha256 })), expected.filelists)
        assert.deepEqual(parseXml(renderOther(fields, fragments.other, { sha256 })), expected.other)
      }
    })
  }
})

/** The checksum that joins the three lists. */
function idOf({ attributes, children }: XmlTree): string {
  if (attributes['pkgid'] !== undefined) return attributes['pkgid']
  for (const child of children) {
    if (typeof child !== 'string' && child.name === 'checksum') return String(child.children[0])
  }
  throw new Error('A package without checksum')
}
