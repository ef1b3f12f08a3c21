import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { resolvePort } from './resolve-port.ts'

describe('the name of an interface', () => {
  for (const name of [
    '',
    '.',
    '..',
    'a/b',
    'a b',
    'a\n',
    'a\0',
    'a:1',
    'tap%d',
    'sixteen-bytes-16',
    'überlänge-weit',
  ]) {
    it(`cannot be ${JSON.stringify(name)}`, async () => {
      for (const kind of ['tap', 'interface'] as const) {
        await assert.rejects(resolvePort({ kind, name }), { code: 'invalid' })
      }
    })
  }

  for (const name of ['a', 'eth0', 'eth0.10', '...', 'fifteen-bytes-x', 'br_Ü']) {
    it(`can be ${JSON.stringify(name)}`, async () => {
      assert.deepEqual(await resolvePort({ kind: 'tap', namespace: '/x', name }), {
        kind: 'tap',
        namespace: '/x',
        name,
      })
    })
  }
})
