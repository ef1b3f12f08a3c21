import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type TSchema, Type } from 'typebox'
import type { AppError, FieldMessages } from '../errors.ts'
import { checker } from './check.ts'
import { Id, Nullable, OptionalNullable } from './schemas.ts'

function problemsOf(schema: TSchema, value: unknown, reads: 'json' | 'text' = 'text'): FieldMessages | undefined {
  try {
    checker(schema, reads)(value)
    return undefined
  } catch (error) {
    assert.equal((error as AppError).code, 'invalid')
    return (error as AppError).fields
  }
}

const Repository = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 5 }),
  id: Type.Optional(Id),
  unprotected: Type.Optional(Type.Boolean()),
  kind: Type.Optional(Type.Enum(['file', 'deb'])),
  description: OptionalNullable(Type.String()),
  uploads: Type.Optional(Type.Array(Type.Object({ id: Id }))),
})

describe('a check', () => {
  for (const [value, problems] of [
    [{ name: 'zoo' }, undefined],
    [{ name: 'zoo', id: '7', unprotected: '0', kind: 'deb', description: null, uploads: [{ id: '1' }] }, undefined],
    [{}, { name: ['is missing'] }],
    [{ name: 7 }, { name: ['must be a string'] }],
    [{ name: null }, { name: ['must be a string'] }],
    [{ name: 'zoo', id: 'seven' }, { id: ['must be a number'] }],
    [{ name: 'zoo', unprotected: 'yes' }, { unprotected: ['must be one of true, false, 1, 0'] }],
    [{ name: 'zoo', kind: 'rpm' }, { kind: ['must be one of file, deb'] }],
    [{ name: 'zoo', description: 7 }, { description: ['must be a string'] }],
    [
      { name: 'zoo', uploads: [{ id: 1 }, { id: 'x' }, {}] },
      { 'uploads[1].id': ['must be a number'], 'uploads[2].id': ['is missing'] },
    ],
    [[], { base: ['must be an object'] }],
    ['text', { base: ['must be an object'] }],
    [null, { base: ['must be an object'] }],
  ] as const) {
    it(`of ${JSON.stringify(value)} finds ${JSON.stringify(problems) ?? 'nothing'}`, () => {
      assert.deepEqual(problemsOf(Repository, value), problems)
    })
  }

  for (const [id, isRight] of [
    [1, true],
    [Number.MAX_SAFE_INTEGER, true],
    ['9007199254740991', true],
    ['9007199254740993', false],
    [0, false],
    [-1, false],
    [1.5, false],
    ['1.5', false],
    [1e300, false],
    [[1], false],
    [{}, false],
    [true, false],
  ] as const) {
    it(`${isRight ? 'takes' : 'refuses'} ${JSON.stringify(id)} as an id`, () => {
      assert.equal(problemsOf(Type.Object({ id: Id }), { id }) === undefined, isRight)
    })
  }

  for (const [name, problem] of [
    ['NUL', ['a\0b', 'must not contain NUL']],
    ['half a surrogate pair', ['a\ud800b', 'must not contain half a surrogate pair']],
    ['the other half', ['\udc00', 'must not contain half a surrogate pair']],
  ] as const) {
    it(`refuses ${name} in texts and keys, wherever they are`, () => {
      const [text, message] = problem
      const Any = Type.Record(Type.String(), Type.Unknown())

      assert.deepEqual(problemsOf(Any, { x: { y: ['z', text] } }), { 'x.y[1]': [message] })
      assert.deepEqual(problemsOf(Any, { x: { [text]: 1 } }), { x: [message] })
    })
  }

  it('takes whole surrogate pairs', () => {
    assert.equal(problemsOf(Type.Object({ name: Type.String() }), { name: '😀' }), undefined)
  })

  it('refuses values nested deeper than any honest one, without exhausting the stack', () => {
    let deep: unknown = 'bottom'
    for (let i = 0; i < 100_000; i += 1) deep = [deep]

    const problems = problemsOf(Type.Record(Type.String(), Type.Unknown()), { x: deep })

    assert.deepEqual(Object.values(problems ?? {}), [['is nested too deeply']])
  })

  it('names keys that look like paths or belong to every object as they are', () => {
    const Closed = Type.Object({ name: Type.Optional(Type.String()) }, { additionalProperties: false })
    const value = JSON.parse('{"a/b": 1, "c~d": 2, "__proto__": 3, "constructor": 4}')

    const problems = problemsOf(Closed, value)

    assert.deepEqual(Object.keys(problems ?? {}), ['a/b', 'c~d', '__proto__', 'constructor'])
  })

  it('does not read text as numbers where JSON is wanted', () => {
    assert.deepEqual(problemsOf(Type.Object({ id: Id }), { id: '7' }, 'json'), { id: ['must be a number'] })
  })

  it('gives the value that was read, not the one that came', () => {
    const read = checker(Type.Object({ id: Id, flag: Nullable(Type.Boolean()) }), 'text')({ id: '7', flag: '0' })

    assert.deepEqual(read, { id: 7, flag: false })
  })
})
