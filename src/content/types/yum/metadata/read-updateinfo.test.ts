import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AppError } from '../../../../platform/errors.ts'
import { readUpdateinfo } from './read-updateinfo.ts'

const sha256 = 'ab'.repeat(32)

const update = `<update from="x@example.com" status="final" type="security" version="3">
  <id>EX-2026:1</id><title>A &lt;b&gt;</title><severity>Important</severity><release>EX 9</release>
  <issued date="2026-01-02 03:04:05"/><updated date="1700000000"/>
  <rights>R</rights><pushcount>2</pushcount><summary>S</summary><description>D 1
D 2</description><solution>Sol</solution><reboot_suggested>True</reboot_suggested>
  <references><reference href="https://x/1" id="CVE-2026-1" type="cve" title="T"/><reference href="h" type="self"/></references>
  <pkglist><collection short="ex9"><name>EX 9</name>
    <module name="m" stream="1" version="20" context="c" arch="x86_64"/>
    <package name="foo" version="1" release="2" epoch="3" arch="x86_64" src="foo.src.rpm"><filename>foo.rpm</filename>
      <sum type="md5">${'12'.repeat(16)}</sum><sum type="sha256">${sha256}</sum><sum type="unknown">1</sum>
      <reboot_suggested/><relogin_suggested>0</relogin_suggested></package>
    <package name="bar" version="1" release="2" arch="noarch"/>
  </collection><collection/></pkglist>
</update>`

const list = (...updates: readonly string[]) =>
  `<?xml version="1.0" encoding="UTF-8"?><updates>${updates.join('\n')}</updates>`

async function read(text: string) {
  async function* pieces() {
    yield Buffer.from(text)
  }
  return (await Array.fromAsync(readUpdateinfo(pieces()))).flat()
}

describe('readUpdateinfo()', () => {
  it('gives everything of an advisory, and its element as it is written', async () => {
    const noFlags = { isRebootSuggested: false, isRestartSuggested: false, isReloginSuggested: false }
    assert.deepEqual(await read(list(update)), [
      {
        id: 'EX-2026:1',
        from: 'x@example.com',
        status: 'final',
        type: 'security',
        version: '3',
        title: 'A <b>',
        severity: 'Important',
        release: 'EX 9',
        issued: '2026-01-02 03:04:05',
        updated: '1700000000',
        rights: 'R',
        pushCount: '2',
        summary: 'S',
        description: 'D 1\nD 2',
        solution: 'Sol',
        isRebootSuggested: true,
        references: [
          { href: 'https://x/1', id: 'CVE-2026-1', type: 'cve', title: 'T' },
          { href: 'h', id: '', type: 'self', title: '' },
        ],
        collections: [
          {
            shortName: 'ex9',
            name: 'EX 9',
            module: { name: 'm', stream: '1', version: '20', context: 'c', arch: 'x86_64' },
            packages: [
              {
                name: 'foo',
                epoch: 3,
                version: '1',
                release: '2',
                arch: 'x86_64',
                src: 'foo.src.rpm',
                filename: 'foo.rpm',
                checksum: { type: 'sha256', value: sha256 },
                ...noFlags,
                isRebootSuggested: true,
              },
              {
                name: 'bar',
                epoch: 0,
                version: '1',
                release: '2',
                arch: 'noarch',
                src: '',
                filename: '',
                checksum: undefined,
                ...noFlags,
              },
            ],
          },
          { shortName: '', name: '', module: undefined, packages: [] },
        ],
        source: update,
      },
    ])
  })

  it('takes an advisory with an id alone, and the same one twice', async () => {
    const found = await read(list('<update><id>a</id></update>', '<update><id>a</id></update>', '<other/>'))

    assert.deepEqual(
      found.map(({ id, collections, issued }) => [id, collections, issued]),
      [
        ['a', [], ''],
        ['a', [], ''],
      ],
    )
  })

  for (const [what, from, to] of [
    ['no id', '<id>EX-2026:1</id>', ''],
    ['an id with a blank', 'EX-2026:1', 'EX 1'],
    ['no name of a package', 'name="foo"', ''],
    ['a folder as version', 'version="1"', 'version="../1"'],
    ['an epoch that is none', 'epoch="3"', 'epoch="x"'],
    ['a short checksum', sha256, 'abcd'],
    ['an entity', 'R</rights>', '&r;</rights>'],
  ] as const) {
    it(`refuses ${what}`, async () => {
      await assert.rejects(read(list('<update><id>a</id></update>', update.replace(from, to))), {
        code: 'upstream',
        message: /^Cannot read updateinfo\.xml: /,
      })
    })
  }

  it('refuses every beginning', async () => {
    const text = list(update)
    for (let length = 0; length < text.length; length += 3) await assert.rejects(read(text.slice(0, length)), AppError)
  })
})
