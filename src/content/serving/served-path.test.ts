import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { splitServedPath } from './served-path.ts'

describe('splitServedPath()', () => {
  for (const [path, relativePath, file] of [
    ['Acme/Library/custom/P/R/a/b.txt', 'Acme/Library/custom/P/R', 'a/b.txt'],
    ['Acme/Library/custom/P/R/', 'Acme/Library/custom/P/R', ''],
    ['Acme/Prod/View/custom/P/R/x', 'Acme/Prod/View/custom/P/R', 'x'],
    ['Acme/content_views/View/1.0/custom/P/R/x', 'Acme/content_views/View/1.0/custom/P/R', 'x'],
    ['Acme/Library/custom/custom/R/x', 'Acme/Library/custom/custom/R', 'x'],
  ] as const) {
    it(`finds the repository of ${path}`, () => {
      assert.deepEqual(splitServedPath(path), { relativePath, file, isInside: true })
    })
  }

  it('tells the top of a repository without its slash apart', () => {
    assert.equal(splitServedPath('Acme/Library/custom/P/R')?.isInside, false)
  })

  for (const path of ['', 'Acme', 'Acme/Library/custom/P', 'Acme/Library/P/R/x/y/z', 'Acme//custom/P/R/x']) {
    it(`finds nothing in "${path}"`, () => {
      assert.equal(splitServedPath(path), undefined)
    })
  }
})
