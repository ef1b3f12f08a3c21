import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AppError } from '../../../../platform/errors.ts'
import { readModules } from './read-modules.ts'

const stream = `---
document: modulemd
version: 2
data:
  name: nodejs
  stream: 1.10
  version: 20260102030405
  context: 00000123
  arch: x86_64
  summary: A runtime
  description: >-
    It runs
    things.
  dependencies:
  - buildrequires:
      platform: [el9]
    requires:
      platform: [el9]
      perl: []
  profiles:
    common:
      description: Most
      rpms:
      - nodejs
      - npm
    empty: {}
  artifacts:
    rpms:
    - nodejs-1:20.1-1.x86_64
    - npm-0:1~rc-2.noarch
`
const old = `---
document: modulemd
version: 1
data: {name: old, stream: yes, version: 1, dependencies: {requires: {platform: f28}}}
`
const defaults = `---
document: modulemd-defaults
version: 1
data:
  module: nodejs
  stream: "18"
  profiles:
    18: [common]
    20: []
`
const obsoletes = `---
document: modulemd-obsoletes
version: 1
data: {modified: 2026-01-01T00:00Z, module: nodejs, stream: "16", message: Old, eol_date: 2026-02-01T00:00Z, obsoleted_by: {module: nodejs, stream: "20"}}
`
const translations = `---
document: modulemd-translations
version: 1
data: {module: nodejs, stream: "20", modified: 202601010000, translations: {de: {summary: Laufzeit}}}
`

async function read(text: string | Uint8Array, pieceBytes = 100_000) {
  const bytes = Buffer.from(text)
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
  }
  return Array.fromAsync(readModules(pieces()))
}

describe('readModules()', () => {
  it('gives streams, with everything as text, as it is written', async () => {
    assert.deepEqual(await read(stream), [
      {
        kind: 'stream',
        source: stream,
        name: 'nodejs',
        stream: '1.10',
        version: '20260102030405',
        context: '00000123',
        arch: 'x86_64',
        summary: 'A runtime',
        description: 'It runs things.',
        artifacts: ['nodejs-1:20.1-1.x86_64', 'npm-0:1~rc-2.noarch'],
        profiles: [
          { name: 'common', description: 'Most', packages: ['nodejs', 'npm'] },
          { name: 'empty', description: '', packages: [] },
        ],
        dependencies: [
          new Map([
            ['platform', ['el9']],
            ['perl', []],
          ]),
        ],
      },
    ])
  })

  it('gives every kind of document, wherever the bytes are cut', async () => {
    const unknown = '---\ndocument: modulemd-news\nversion: 9\n'
    const text = `# by hand\n${stream}...\n${old}\n---\n# nothing\n${defaults}${obsoletes}${translations}${unknown}`
    for (const pieceBytes of [1, 10, 100_000]) {
      const found = await read(text, pieceBytes)

      assert.deepEqual(
        found.map(({ kind }) => kind),
        ['stream', 'stream', 'defaults', 'obsoletes', 'translations', 'unknown'],
      )
      const [first, second, third, fourth, fifth] = found
      assert.equal(first?.source, `# by hand\n${stream}`)
      assert.ok(second?.kind === 'stream' && second.stream === 'yes')
      assert.deepEqual(second.dependencies, [new Map([['platform', ['f28']]])])
      assert.ok(third?.kind === 'defaults' && third.stream === '18')
      assert.deepEqual(
        third.profiles,
        new Map([
          ['18', ['common']],
          ['20', []],
        ]),
      )
      assert.ok(fourth?.kind === 'obsoletes' && fourth.endOfLife === '2026-02-01T00:00Z')
      assert.deepEqual(fourth.obsoletedBy, { module: 'nodejs', stream: '20' })
      assert.equal(fifth?.source, translations)
    }
  })

  it('gives nothing for a text without documents', async () => {
    for (const text of ['', '\n', '---\n', '---\n...\n---\n', '# x\n']) assert.deepEqual(await read(text), [])
  })

  const bomb = `a: &a [x, x, x, x, x, x, x, x, x]\n${'bcdefghijk'
    .split('')
    .map((name, at) => `${name}: &${name} [${`*${'abcdefghij'[at]}, `.repeat(9)}]\n`)
    .join('')}`
  for (const [what, text] of [
    ['a list', '- a\n- b\n'],
    ['a word', 'hello\n'],
    ['HTML', '<html><body>\n<p>x: y: z</p>\n'],
    ['no name', stream.replace('  name: nodejs\n', '')],
    ['no stream', stream.replace('stream: 1.10', 'stream:')],
    ['a slash in the name', stream.replace('nodejs', '../nodejs')],
    ['a version that is none', stream.replace('20260102030405', 'new')],
    ['a bomb of aliases', `${stream}${bomb}`],
    ['a ring of aliases', 'document: modulemd\ndata: &a {name: x, stream: *a}\n'],
    ['an unknown alias', 'document: *x\n'],
    ['wrong indentation', 'a:\n   b: 1\n  c: 2\n'],
    ['an open bracket', 'a: [1, 2\n'],
    ['deep nesting', `a: ${'['.repeat(100_000)}\n`],
    ['deep indentation', Array.from({ length: 3000 }, (_, depth) => `${' '.repeat(depth)}a:\n`).join('')],
    ['NUL', 'a: \0\n'],
    ['a long document', `a: ${'x'.repeat(5_000_000)}\n`],
    ['many lines', 'a: b\n'.repeat(1_000_000)],
  ] as const) {
    it(`refuses ${what}`, async () => {
      await assert.rejects(read(text), (error: AppError) => {
        assert.ok(error instanceof AppError, String(error))
        assert.equal(error.code, 'upstream')
        assert.match(error.message, /^Cannot read modules\.yaml/)
        return true
      })
    })
  }

  it('reads many keys in a time that grows with them', async () => {
    const keys = Array.from({ length: 50_000 }, (_, index) => `  k${index}: v\n`).join('')

    assert.equal((await read(`document: other\ndata:\n${keys}`)).length, 1)
  })

  it('refuses what is not UTF-8', async () => {
    await assert.rejects(read(Buffer.from([0x61, 0x3a, 0xff, 0x0a])), { code: 'upstream', message: /UTF-8/ })
  })
})
