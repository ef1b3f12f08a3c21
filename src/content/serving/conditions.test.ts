import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isNotModified, isRangeWanted } from './conditions.ts'

const validators = { etag: '"abc"', lastModified: new Date('2026-01-01T12:00:00.500Z') }

describe('isNotModified()', () => {
  for (const [headers, expected] of [
    [{}, false],
    [{ 'if-none-match': '"abc"' }, true],
    [{ 'if-none-match': 'W/"abc"' }, true],
    [{ 'if-none-match': '"x", "abc"' }, true],
    [{ 'if-none-match': '*' }, true],
    [{ 'if-none-match': '"x"', 'if-modified-since': 'Thu, 01 Jan 2026 12:00:00 GMT' }, false],
    [{ 'if-modified-since': 'Thu, 01 Jan 2026 12:00:00 GMT' }, true],
    [{ 'if-modified-since': 'Thu, 01 Jan 2026 11:59:59 GMT' }, false],
    [{ 'if-modified-since': 'nonsense' }, false],
  ] as const) {
    it(`is ${expected} for ${JSON.stringify(headers)}`, () => {
      assert.equal(isNotModified(headers, validators), expected)
    })
  }
})

describe('isRangeWanted()', () => {
  for (const [headers, expected] of [
    [{}, true],
    [{ 'if-range': '"abc"' }, true],
    [{ 'if-range': '"other"' }, false],
    [{ 'if-range': 'Thu, 01 Jan 2026 12:00:00 GMT' }, true],
    [{ 'if-range': 'Thu, 01 Jan 2026 12:00:01 GMT' }, false],
  ] as const) {
    it(`is ${expected} for ${JSON.stringify(headers)}`, () => {
      assert.equal(isRangeWanted(headers, validators), expected)
    })
  }
})
