import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { NewestPackages, nevraOf, type PackageVersion } from './newest-packages.ts'

function packageOf(name: string, version: number, arch = 'x86_64'): PackageVersion {
  return { name, epoch: 0, version: String(version), release: '1', arch }
}

function keep(count: number, packages: readonly PackageVersion[], modular: readonly string[] = []): string[] {
  const newest = new NewestPackages<string>({
    count,
    compare: (first, second) => first.epoch - second.epoch || Number(first.version) - Number(second.version),
    isProtected: (candidate) => modular.includes(nevraOf(candidate)),
  })
  for (const [index, each] of packages.entries()) newest.add(each, `${nevraOf(each)} ${index}`)
  return [...newest.ids()].sort()
}

describe('NewestPackages', () => {
  it('keeps the newest versions of each name and architecture, in whatever order they come', () => {
    for (const order of [
      [1, 2, 3, 10],
      [10, 3, 2, 1],
      [3, 10, 1, 2],
    ]) {
      const kept = keep(2, [
        ...order.map((version) => packageOf('a', version)),
        packageOf('a', 1, 'noarch'),
        packageOf('b', 1),
      ])

      assert.deepEqual(
        kept.map((id) => id.split(' ')[0]),
        ['a-0:1-1.noarch', 'a-0:10-1.x86_64', 'a-0:3-1.x86_64', 'b-0:1-1.x86_64'],
      )
    }
  })

  it('keeps all packages of a version, which count once', () => {
    const packages = [packageOf('a', 2), packageOf('a', 1), packageOf('a', 2), packageOf('a', 0), packageOf('a', 1)]

    assert.deepEqual(keep(2, packages), [
      'a-0:1-1.x86_64 1',
      'a-0:1-1.x86_64 4',
      'a-0:2-1.x86_64 0',
      'a-0:2-1.x86_64 2',
    ])
  })

  it('keeps what a module names, without counting it', () => {
    const packages = [1, 2, 3, 4].map((version) => packageOf('a', version))

    assert.deepEqual(keep(1, packages, ['a-0:1-1.x86_64', 'a-0:4-1.x86_64']), [
      'a-0:1-1.x86_64 0',
      'a-0:3-1.x86_64 2',
      'a-0:4-1.x86_64 3',
    ])
  })

  it('keeps one version when none is asked for', () => {
    assert.deepEqual(keep(0, [packageOf('a', 1), packageOf('a', 2)]), ['a-0:2-1.x86_64 1'])
  })
})
