import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { lacksProgram } from '../../../../../test/support/programs.ts'
import { SeededRandom } from '../../../../../test/support/seeded-random.ts'
import { compareEvr, compareVersions } from './compare-versions.ts'
import { parseEvr } from './parse-evr.ts'
import { evrSortKey, versionSortKey } from './version-sort-key.ts'

const pairs = 20_000

const pieces = [
  '0',
  '00',
  '1',
  '9',
  '10',
  '010',
  '2024',
  '9'.repeat(63),
  '1'.repeat(64),
  '7'.repeat(200),
  '~',
  '^',
  '.',
  '..',
  '_',
  '+',
  'a',
  'b',
  'z',
  'A',
  'Z',
  'rc',
  'el9',
  'alpha',
  'é',
  ' ',
]

const nasty = [
  '',
  '~',
  '~~',
  '^',
  '^^',
  '~^',
  '^~',
  '.',
  '0',
  '00',
  '1',
  '01',
  '1.',
  '1.0',
  '1..0',
  '1a',
  '1.a',
  '1a1',
  'a',
  'a1',
  'ab',
  'a.b',
  'aB',
  '1~',
  '1^',
  '1~rc',
  '1^git',
  '1^git~1',
  '1~rc^git',
  '1.0.0',
  '1.0~',
  '1.0^',
  '1.0a',
  '10',
  '9',
  '1_0',
  '1+0',
  'é',
  '1é',
  '9'.repeat(63),
  '9'.repeat(64),
  '1'.repeat(65),
  '1'.repeat(128),
  `0${'9'.repeat(64)}`,
]

function randomVersion(random: SeededRandom): string {
  return Array.from({ length: random.below(7) }, () => random.pick(pieces)).join('')
}

/** Random versions are seldom alike, so the other one is often a change of the first. */
function randomPair(random: SeededRandom): [string, string] {
  const a = randomVersion(random)
  if (random.chance(0.3)) return [a, randomVersion(random)]
  const at = random.below(a.length + 1)
  return [a, a.slice(0, at) + random.pick([...pieces, '']) + a.slice(at + random.below(2))]
}

function allPairs(): [string, string][] {
  const random = new SeededRandom(1)
  return [
    ...nasty.flatMap((a) => nasty.map((b): [string, string] => [a, b])),
    ...Array.from({ length: pairs }, () => randomPair(random)),
  ]
}

/** What rpm says of pairs, as -1, 0 and 1. */
async function askRpm(asked: readonly (readonly [string, string])[]): Promise<number[]> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'backhaul-versions-'))
  const path = join(folder.path, 'pairs')
  await writeFile(path, asked.map((pair) => `${pair.join('\t')}\n`).join(''))
  const script = `%{lua: for line in io.lines("${path}") do local a, b = line:match("^(.-)\\t(.*)$"); print(rpm.vercmp(a, b) .. "\\n") end}`
  const { stdout } = await promisify(execFile)('rpm', ['--eval', script], { maxBuffer: 64 * 1024 * 1024 })
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map(Number)
}

describe('compareVersions()', () => {
  for (const [older, newer] of [
    ['1.0', '1.1'],
    ['9', '10'],
    ['1.0', '1.0.0'],
    ['1.0a', '1.0.1'],
    ['1.0~rc1', '1.0'],
    ['1.0', '1.0^git1'],
    ['1.0^git1', '1.0.1'],
    ['1.0~rc1', '1.0~rc1^git1'],
    ['1.0^git1~1', '1.0^git1'],
    ['a', '1'],
    ['Z', 'a'],
  ] as const) {
    it(`finds ${older} older than ${newer}`, () => {
      assert.ok(compareVersions(older, newer) < 0)
      assert.ok(compareVersions(newer, older) > 0)
    })
  }

  for (const [a, b] of [
    ['1.0', '1_0'],
    ['1.0', '1.00'],
    ['1.0', '01.0'],
    ['1.0.', '1.0'],
    ['', '...'],
  ] as const) {
    it(`finds ${a} as old as ${b}`, () => assert.equal(compareVersions(a, b), 0))
  }

  it('says of many pairs what rpm says', { skip: lacksProgram('rpm') }, async () => {
    // What rpm cannot take for a version, it does not compare.
    const asked = allPairs().filter((pair) => pair.every((version) => version !== ''))
    const answers = await askRpm(asked)

    assert.equal(answers.length, asked.length)
    assert.deepEqual(
      asked.filter(([a, b], at) => Math.sign(compareVersions(a, b)) !== answers[at]),
      [],
    )
  })
})

describe('compareEvr()', () => {
  it('says of many pairs with epochs and releases what rpm says', { skip: lacksProgram('rpm') }, async () => {
    const random = new SeededRandom(2)
    const asked = allPairs()
      .filter((pair) => pair.every((version) => version !== ''))
      .map(([a, b]) => [withRest(a, random), withRest(b, random)] as const)
    const answers = await askRpm(asked)

    assert.equal(answers.length, asked.length)
    assert.deepEqual(
      asked.filter(([a, b], at) => Math.sign(compareEvr(parseEvr(a), parseEvr(b))) !== answers[at]),
      [],
    )
  })
})

function withRest(version: string, random: SeededRandom): string {
  return `${random.pick(['', '0:', '1:', '10:'])}${version}-${random.pick(['1', '2', '1.el9', '1~', '1^'])}`
}

describe('versionSortKey()', () => {
  it('sorts as bytes as versions compare', () => {
    for (const [a, b] of allPairs()) {
      const keys = Buffer.compare(Buffer.from(versionSortKey(a)), Buffer.from(versionSortKey(b)))
      assert.equal(keys, Math.sign(compareVersions(a, b)), `${a} and ${b}`)
    }
  })

  it('is printable ASCII, at most three times as long as the version and one character', () => {
    for (const version of allPairs().flat()) {
      const key = versionSortKey(version)
      assert.match(key, /^[ -~]+$/)
      assert.ok(key.length <= 3 * version.length + 1, version)
    }
  })
})

describe('evrSortKey()', () => {
  it('sorts as bytes as whole versions compare', () => {
    const random = new SeededRandom(3)
    for (const pair of allPairs()) {
      const [a, b] = pair.map((version) => parseEvr(withRest(version, random)))
      if (a === undefined || b === undefined) throw new Error('A pair has two versions')
      const keys = Buffer.compare(Buffer.from(evrSortKey(a)), Buffer.from(evrSortKey(b)))
      assert.equal(keys, Math.sign(compareEvr(a, b)), JSON.stringify([a, b]))
    }
  })
})
