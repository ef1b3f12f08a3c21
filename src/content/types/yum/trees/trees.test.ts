import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readTreeinfo } from '../metadata/read-treeinfo.ts'
import { listTreeFiles } from './tree-files.ts'
import { toTreeUnit } from './tree-unit.ts'

const sha256 = 'ab'.repeat(32)

function tree(...more: readonly string[]) {
  return readTreeinfo(`[general]
family = Sea
version = 9.1
arch = x86_64
[images-x86_64]
kernel = images/vmlinuz
initrd = images/initrd.img
[images-xen]
kernel = xen/vmlinuz
${more.join('\n')}
`)
}

const fileAt = (path: string, digest = sha256) => ({ path, sha256: digest, sizeBytes: 1 })

describe('listTreeFiles', () => {
  it('gives every file once, wherever it is named, with its checksum if there is one', () => {
    const files = listTreeFiles(
      tree(
        '[stage2]',
        'mainimage = LiveOS/squashfs.img',
        '[checksums]',
        `images/vmlinuz = sha256:${sha256}`,
        `x = sha256:${sha256}`,
      ),
    )
    const checksum = { type: 'sha256', value: sha256 }
    assert.deepEqual(files, [
      { path: 'images/vmlinuz', checksum },
      { path: 'x', checksum },
      { path: 'images/initrd.img', checksum: undefined },
      { path: 'xen/vmlinuz', checksum: undefined },
      { path: 'LiveOS/squashfs.img', checksum: undefined },
    ])
  })

  it('leaves out metadata of repositories, and the description itself', () => {
    const names = ['repodata/repomd.xml', 'addons/Reef/repodata/repomd.xml', '.treeinfo', 'repodata.img']
    const files = listTreeFiles(tree('[checksums]', ...names.map((name) => `${name} = sha256:${sha256}`)))
    assert.deepEqual(
      files.map(({ path }) => path),
      ['repodata.img', 'images/vmlinuz', 'images/initrd.img', 'xen/vmlinuz'],
    )
  })
})

describe('toTreeUnit', () => {
  it('is the same for the same files in any order, and another one for any other', () => {
    const keyOf = (...files: readonly ReturnType<typeof fileAt>[]) => toTreeUnit(tree(), files).naturalKey
    const known = keyOf(fileAt('a'), fileAt('b'))
    assert.equal(keyOf(fileAt('b'), fileAt('a')), known)
    for (const other of [
      keyOf(fileAt('a')),
      keyOf(fileAt('a'), fileAt('c')),
      keyOf(fileAt('a'), fileAt('b', 'cd'.repeat(32))),
    ])
      assert.notEqual(other, known)
    assert.equal(toTreeUnit(tree(), []).name, 'Sea 9.1 x86_64')
  })

  it('is of the variants that it is made of where it says nothing of the whole', () => {
    const variant = (id: string, type: string) => `[variant-${id}]\nid = ${id}\nname = ${id}\ntype = ${type}`
    const of = (...more: readonly string[]) => toTreeUnit(tree(...more), []).variant
    assert.equal(of(), '')
    assert.equal(of(variant('Deep', 'variant'), variant('Reef', 'addon'), variant('Shore', 'variant')), 'Deep,Shore')
    assert.equal(of('[general]', 'variant = All', variant('Deep', 'variant')), 'All')
  })

  it('can start a machine with kernel and initrd of one platform', () => {
    const isBootable = (...paths: readonly string[]) =>
      toTreeUnit(
        tree(),
        paths.map((path) => fileAt(path)),
      ).isBootable
    assert.equal(isBootable('images/vmlinuz', 'images/initrd.img'), true)
    assert.equal(isBootable('images/vmlinuz'), false)
    assert.equal(isBootable('xen/vmlinuz', 'images/initrd.img'), false)
  })
})
