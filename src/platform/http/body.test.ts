import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseBody, type RawBody, unwrap } from './body.ts'

function parse(text: string | Buffer, changes: Partial<RawBody> = {}): unknown {
  return parseBody({
    family: 'content',
    method: 'POST',
    contentType: 'application/json',
    bytes: Buffer.from(text),
    ...changes,
  })
}

describe('parseBody', () => {
  for (const contentType of [
    'application/json',
    'application/json; charset=utf-8',
    'APPLICATION/JSON',
    'application/vnd.api+json',
  ]) {
    it(`reads a body of type ${contentType}`, () => {
      assert.deepEqual(parse('{"a": 1}', { contentType }), { a: 1 })
    })
  }

  for (const contentType of [
    undefined,
    '',
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'x',
  ]) {
    it(`refuses a body of type ${contentType} for the content API, and not for the links API`, () => {
      assert.throws(() => parse('{"a": 1}', { contentType }), { code: 'unsupported_media_type' })
      assert.deepEqual(parse('{"a": 1}', { contentType, family: 'links' }), { a: 1 })
    })
  }

  for (const [what, text] of [
    ['cut off', '{"a": '],
    ['no JSON', 'a=1'],
    ['not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['JSON and more', '{} {}'],
    ['with NaN', '{"a": NaN}'],
    ['blank', ' '],
    ['nested in a hundred thousand lists', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['nested in a hundred thousand objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
  ] as const) {
    it(`refuses a body that is ${what}`, () => {
      assert.throws(() => parse(text), { code: 'malformed', message: /^Cannot read the body: it is / })
    })
  }

  it('gives no attributes when there is no body, whatever its type', () => {
    assert.deepEqual(parse('', { contentType: 'text/plain' }), {})
    assert.deepEqual(parseBody({ family: 'content', method: 'POST', contentType: undefined, bytes: undefined }), {})
  })

  it('does not look at the body of a GET', () => {
    assert.deepEqual(parse('{', { method: 'GET' }), {})
  })
})

describe('unwrap', () => {
  for (const [body, attributes] of [
    [{ name: 'a' }, { name: 'a' }],
    [{ repository: { name: 'a' } }, { name: 'a' }],
    [
      { repository: { name: 'a' }, product_id: 7 },
      { product_id: 7, name: 'a' },
    ],
    [{ repository: 'a' }, { repository: 'a' }],
    [{ repository: ['a'] }, { repository: ['a'] }],
    [{ repository: null }, { repository: null }],
    [['a'], ['a']],
    ['a', 'a'],
  ] as const) {
    it(`gives ${JSON.stringify(attributes)} for ${JSON.stringify(body)}`, () => {
      assert.deepEqual(unwrap(body, 'repository'), attributes)
    })
  }

  it('cannot be used to change what objects are', () => {
    const body = unwrap(JSON.parse('{"repository": {"__proto__": {"admin": true}}}'), 'repository') as {
      admin?: boolean
    }

    assert.equal(body.admin, undefined)
    assert.equal(Object.getPrototypeOf(body), Object.prototype)
  })
})
