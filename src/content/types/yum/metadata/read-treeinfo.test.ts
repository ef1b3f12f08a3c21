import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AppError } from '../../../../platform/errors.ts'
import { readTreeinfo } from './read-treeinfo.ts'

const sha256 = 'ab'.repeat(32)
const treeinfo = `; by hand
[header]
type = productmd.treeinfo
version = 1.2

[checksums]
images/boot.iso = sha256:${sha256}
images/pxeboot/vmlinuz = sha:${'CD'.repeat(20)}
images/odd = crc:12

[general]
family = Example Linux
name = Example Linux 9
version = 9
arch = x86_64
variant = BaseOS
timestamp = 1700000000
platforms = x86_64,xen

[images-x86_64]
boot.iso = images/boot.iso
kernel = images/pxeboot/vmlinuz

[release]
name = Example
short = EX
version = 9.1

[stage2]
mainimage: images/install.img

[variant-AppStream]
id = AppStream
uid = AppStream
name = AppStream
type = variant
packages = ../../../AppStream/x86_64/os/Packages
repository = ../../../AppStream/x86_64/os/

[variant-BaseOS]
repository = .
`

describe('readTreeinfo()', () => {
  it('gives what can be installed', () => {
    assert.deepEqual(readTreeinfo(treeinfo), {
      family: 'Example Linux',
      name: 'Example Linux 9',
      version: '9',
      arch: 'x86_64',
      variant: 'BaseOS',
      timestamp: '1700000000',
      checksums: new Map([
        ['images/boot.iso', { type: 'sha256', value: sha256 }],
        ['images/pxeboot/vmlinuz', { type: 'sha1', value: 'cd'.repeat(20) }],
      ]),
      images: new Map([
        [
          'x86_64',
          new Map([
            ['boot.iso', 'images/boot.iso'],
            ['kernel', 'images/pxeboot/vmlinuz'],
          ]),
        ],
      ]),
      stage2: new Map([['mainimage', 'images/install.img']]),
      variants: [
        {
          id: 'AppStream',
          uid: 'AppStream',
          name: 'AppStream',
          type: 'variant',
          packages: '../../../AppStream/x86_64/os/Packages',
          repository: '../../../AppStream/x86_64/os/',
        },
        { id: 'BaseOS', uid: 'BaseOS', name: '', type: '', packages: '', repository: '.' },
      ],
    })
  })

  it('takes one with a release alone', () => {
    const { family, version } = readTreeinfo('[release]\r\nname = X\r\nversion = 1\r\n')
    assert.deepEqual([family, version], ['X', '1'])
  })

  for (const [what, text] of [
    ['nothing', ''],
    ['HTML', '<html>'],
    ['a line without a section', 'a = b\n'],
    ['a line that is none', '[general]\nabc\n'],
    ['a line without a key', '[general]\n= b\n'],
    ['neither section', '[x]\na = b\n'],
    ['a parent folder', `[general]\n[checksums]\n../x = sha256:${sha256}\n`],
    ['an absolute image', '[general]\n[images-x]\na = /etc/passwd\n'],
    ['an absolute variant', '[general]\n[variant-a]\nrepository = /etc\n'],
    ['a hidden parent folder', '[general]\n[variant-a]\npackages = a/../../b\n'],
    ['a short checksum', '[general]\n[checksums]\nx = sha256:ab\n'],
    ['NUL', '[general]\na = \0\n'],
    ['a megabyte', `[general]\na = ${'x'.repeat(1_100_000)}\n`],
  ] as const) {
    it(`refuses ${what}`, () => {
      assert.throws(
        () => readTreeinfo(text),
        (error) => error instanceof AppError && error.code === 'upstream',
      )
    })
  }
})
