import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Type } from 'typebox'
import { coerce } from './coerce.ts'
import { OptionalNullable } from './schemas.ts'

describe('coerce', () => {
  for (const [text, value] of [
    ['true', true],
    ['false', false],
    ['1', true],
    ['0', false],
    [1, true],
    [0, false],
    [true, true],
    ['True', 'True'],
    ['yes', 'yes'],
    ['', ''],
    [2, 2],
    [null, null],
  ] as const) {
    it(`reads ${JSON.stringify(text)} as ${JSON.stringify(value)} where a boolean is wanted`, () => {
      assert.equal(coerce(Type.Boolean(), text), value)
    })
  }

  for (const [text, value] of [
    ['17', 17],
    ['-3', -3],
    ['0.5', 0.5],
    ['007', 7],
    [17, 17],
    ['', ''],
    [' 1', ' 1'],
    ['1e3', '1e3'],
    ['0x10', '0x10'],
    ['Infinity', 'Infinity'],
    ['1.', '1.'],
    ['9'.repeat(400), '9'.repeat(400)],
    [true, true],
  ] as const) {
    it(`reads ${JSON.stringify(text).slice(0, 20)} as ${JSON.stringify(value).slice(0, 20)} where a number is wanted`, () => {
      assert.equal(coerce(Type.Integer(), text), value)
      assert.equal(coerce(Type.Number(), text), value)
    })
  }

  it('leaves text alone where text is wanted', () => {
    assert.deepEqual(coerce(Type.Object({ name: Type.String() }), { name: '17', other: '18' }), {
      name: '17',
      other: '18',
    })
  })

  it('reads lists, objects in objects, and what may also be null', () => {
    const schema = Type.Object({
      ids: Type.Array(Type.Integer()),
      inner: Type.Object({ flag: OptionalNullable(Type.Boolean()) }),
    })

    const read = coerce(schema, { ids: ['1', 2, 'x'], inner: { flag: '1' } })

    assert.deepEqual(read, { ids: [1, 2, 'x'], inner: { flag: true } })
    assert.deepEqual(coerce(schema, { inner: { flag: null } }), { inner: { flag: null } })
  })

  it('takes keys that every object has as keys like others', () => {
    const schema = Type.Object({ id: Type.Optional(Type.Integer()) })
    const value = JSON.parse('{"__proto__": {"id": "7"}, "constructor": "1", "toString": "2"}')

    const read = coerce(schema, value) as object

    assert.deepEqual(Object.keys(read), ['__proto__', 'constructor', 'toString'])
    assert.equal(Object.getPrototypeOf(read), Object.prototype)
    assert.equal((read as { id?: number }).id, undefined)
  })

  it('does not change what it was given', () => {
    const value = Object.freeze({ ids: Object.freeze(['1']) })

    const read = coerce(Type.Object({ ids: Type.Array(Type.Integer()) }), value)

    assert.deepEqual(read, { ids: [1] })
    assert.deepEqual(value, { ids: ['1'] })
  })
})
