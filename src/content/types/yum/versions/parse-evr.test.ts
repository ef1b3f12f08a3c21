import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseEvr } from './parse-evr.ts'

describe('parseEvr()', () => {
  for (const [text, epoch, version, release] of [
    ['1.2-3', 0, '1.2', '3'],
    ['7:1.2-3.el9', 7, '1.2', '3.el9'],
    ['1.2', 0, '1.2', ''],
    [':1.2-3', 0, '1.2', '3'],
    ['1:', 1, '', ''],
    ['', 0, '', ''],
    ['a:1-2', 0, 'a:1', '2'],
    ['1.2-3-4', 0, '1.2-3', '4'],
    ['1~rc1^git2-0.1', 0, '1~rc1^git2', '0.1'],
  ] as const) {
    it(`reads ${JSON.stringify(text)}`, () => assert.deepEqual(parseEvr(text), { epoch, version, release }))
  }
})
