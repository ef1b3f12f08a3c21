import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { withoutLarge } from './compact-packs.ts'

describe('withoutLarge()', () => {
  it('leaves out packs that are large together, so that they are not packed again each time', () => {
    const megabyte = 1024 * 1024
    const inPack = (packId: number, megabytes: readonly number[]) =>
      megabytes.map((size, index) => ({ unitId: 100 * packId + index, packId, index, sizeBytes: size * megabyte }))
    const [small, large, single] = [inPack(1, [1, 2, 3]), inPack(2, [5, 6, 7]), inPack(3, [40])]

    assert.deepEqual(withoutLarge([...small, ...large, ...single]), small)
    assert.deepEqual(withoutLarge([]), [])
  })
})
