import { type HeaderValue, leastMain, leastSignature, type RpmParts } from './rpm-bytes.ts'
import type { RpmBuild, RpmSpec } from './rpm-fixtures.ts'

/** Packages of every form, described as the rest of "a package with …". */
interface BuiltSample {
  readonly what: string
  readonly spec: RpmSpec | Buffer
  readonly build?: RpmBuild
}

/** What every package of today has, beside its name. */
const today: readonly HeaderValue[] = [
  ...leastMain,
  [1004, 9, ['Summary', 'Zusammenfassung']],
  [1005, 9, ['Description', 'Beschreibung']],
  [1006, 4, [1_700_000_000]],
]

/** What no rpmbuild of today makes. */
export const oddSamples: readonly { readonly what: string; readonly parts: RpmParts }[] = [
  { what: 'the least that a package can be', parts: { signature: leastSignature, main: today } },
  {
    what: 'provides without versions, as the oldest packages have them',
    parts: { signature: leastSignature, main: [...today, [1003, 4, [3]], [1047, 8, ['a', 'b']]] },
  },
  {
    what: 'whole paths as old packages have them',
    parts: {
      signature: leastSignature,
      main: [
        ...today,
        [1027, 8, ['/etc/a', '/usr/b']],
        [1028, 4, [1, 2]],
        [1030, 3, [0o100644, 0o040755]],
        [1037, 4, [64, 0]],
      ],
    },
  },
  {
    what: 'sizes of more than 32 bits',
    parts: { signature: [...leastSignature, [271, 5, [2 ** 40]]], main: [...today, [5009, 5, [2 ** 41 + 1]]] },
  },
  {
    what: 'requirements that may be missing',
    parts: {
      signature: leastSignature,
      main: [
        ...today,
        [1048, 4, [2 ** 19 + 8, 8]],
        [1049, 8, ['may', 'must']],
        [1050, 8, ['1:2-3', '4']],
        [5046, 8, ['r']],
        [5047, 8, ['']],
        [5048, 4, [0]],
      ],
    },
  },
  {
    what: 'weak dependencies of before rpm had them',
    parts: {
      signature: leastSignature,
      main: [
        ...today,
        [1156, 8, ['s', 'r']],
        [1157, 8, ['', '1']],
        [1158, 4, [0, 2 ** 27 + 8]],
        [1159, 8, ['e', 'u']],
        [1160, 8, ['1', '']],
        [1161, 4, [8, 2 ** 27]],
      ],
    },
  },
  {
    what: 'changelogs of one second and the next',
    parts: {
      signature: leastSignature,
      main: [
        ...today,
        [1080, 4, [31, 30, 30, 30, 20]],
        [1081, 8, ['E  ', 'D', 'C', 'B', '  ']],
        [1082, 8, ['e', 'd', 'c', 'b', 'a']],
      ],
    },
  },
]

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

/** Made by rpmbuild. */
export const builtSamples: readonly BuiltSample[] = [
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
