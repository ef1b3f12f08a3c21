import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AppError } from '../platform/errors.ts'
import { labelFor } from './label.ts'

describe('labelFor()', () => {
  it('takes a given label as it is, and makes one from the name otherwise', () => {
    assert.equal(labelFor('My repo', 'mine'), 'mine')
    assert.equal(labelFor('My  repo (new)', undefined), 'My_repo_new_')
  })

  it('gives a UUID for names that are not plain ASCII, or too long', () => {
    for (const name of ['größe', 'x'.repeat(129)]) assert.match(labelFor(name, undefined), /^[0-9a-f-]{36}$/)
  })

  for (const label of ['', 'a b', 'a/b', '..', 'ü', 'x'.repeat(129)]) {
    it(`refuses the label ${JSON.stringify(label.slice(0, 10))}`, () => {
      assert.throws(
        () => labelFor('name', label),
        (error: AppError) => error.code === 'invalid' && error.fields?.['label'] !== undefined,
      )
    })
  }
})
