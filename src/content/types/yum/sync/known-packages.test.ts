import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { HeldUnit } from '../../../content-type.ts'
import { KnownPackages } from './known-packages.ts'

const base = new URL('https://mirror.example/os/')
const sha256 = 'ab'.repeat(32)
const held: ReadonlyMap<string, HeldUnit> = new Map([
  [sha256, { id: 7, kind: 'rpm', path: 'Packages/a/a-1-1.noarch.rpm', sizeBytes: 12 }],
])
const usual = `<package type="rpm"><name>a</name><checksum type="sha256" pkgid="YES">${sha256}</checksum><location href="a.rpm"/></package>`

const known = (isWanted = true) => new KnownPackages({ base, held, isWanted: () => isWanted })

describe('KnownPackages', () => {
  it('takes a package that is held, once, with where it is now', () => {
    const packages = known()
    assert.deepEqual([packages.take(Buffer.from(usual)), packages.take(Buffer.from(usual))], [true, true])
    assert.equal(packages.count, 2)
    const [unit, ...more] = packages.drain()
    assert.deepEqual([unit?.storedId, unit?.naturalKey, unit?.name], [7, sha256, 'a-1-1.noarch.rpm'])
    assert.equal(unit?.files[0]?.url.href, 'https://mirror.example/os/a.rpm')
    assert.deepEqual([more, packages.drain()], [[], []])
  })

  it('passes over one that is not wanted', () => {
    const packages = known(false)
    assert.equal(packages.take(Buffer.from(usual)), true)
    assert.deepEqual([packages.count, packages.drain()], [1, []])
  })

  for (const [what, element] of Object.entries({
    'is not held': usual.replaceAll('ab', 'cd'),
    'is known by another checksum': usual.replace('type="sha256"', 'type="sha1"'),
    'lies elsewhere': usual.replace('<location ', '<location xml:base="https://else.example/" '),
    'has a path that leads out': usual.replace('a.rpm', '../a.rpm'),
    'has a path with a reference in it': usual.replace('a.rpm', 'a&amp;b.rpm'),
    'has no location': usual.replace('<location href="a.rpm"/>', ''),
    'has a comment': usual.replace('<name>', '<!-- x --><name>'),
    'is no rpm': usual.replace('type="rpm"', 'type="patch"'),
  })) {
    it(`leaves one that ${what} to be read properly`, () => {
      const packages = known()
      assert.equal(packages.take(Buffer.from(element)), false)
      assert.deepEqual([packages.count, packages.drain()], [0, []])
    })
  }
})
