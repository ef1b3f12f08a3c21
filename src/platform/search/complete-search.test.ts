import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { completeSearch } from './complete-search.ts'
import type { SearchField } from './search-fields.ts'

const expression = sql`x`
const fields: readonly SearchField[] = [
  { names: ['name'], type: 'string', expression },
  { names: ['label', 'tag'], type: 'string', expression },
  { names: ['legs'], type: 'integer', expression },
  { names: ['is_tame'], type: 'boolean', expression },
  { names: ['born'], type: 'date', expression },
  {
    names: ['wild'],
    type: 'choice',
    choices: new Map([
      ['true', 1],
      ['false', 0],
    ]),
    expression,
  },
]

const names = ['born', 'is_tame', 'label', 'legs', 'name', 'wild']

describe('completeSearch()', () => {
  for (const [text, completed] of [
    ['', [...names, 'has', 'not']],
    ['l', ['label', 'legs']],
    ['L', ['label', 'legs']],
    ['name', []],
    ['name ', ['name =', 'name !=', 'name ~', 'name !~', 'name ^', 'name !^', 'name and', 'name or']],
    ['tag ', ['tag =', 'tag !=', 'tag ~', 'tag !~', 'tag ^', 'tag !^', 'tag and', 'tag or']],
    ['wild ', ['wild =', 'wild !=', 'wild and', 'wild or']],
    ['zoo ', ['zoo and', 'zoo or']],
    ['name = ', []],
    ['name = x', []],
    ['name = x ', ['name = x and', 'name = x or']],
    ['name = "x y"', ['name = "x y" and', 'name = "x y" or']],
    ['name = x a', ['name = x and']],
    ['name=x and wi', ['name=x and wild']],
    ['name=x and wild=', ['name=x and wild= true', 'name=x and wild= false']],
    ['is_tame = f', ['is_tame = false']],
    ['born > y', ['born > yesterday']],
    ['has l', ['has label', 'has legs']],
    ['has legs ', ['has legs and', 'has legs or']],
    ['not (l', ['not (label', 'not (legs']],
    ['name = x, ', [...names, 'has', 'not'].map((word) => `name = x, ${word}`)],
    ['"na', ['"na and', '"na or']],
    ['(wild)', ['(wild) and', '(wild) or']],
  ] as const) {
    it(`goes on behind ${JSON.stringify(text)}`, () => {
      assert.deepEqual(completeSearch(text, fields), completed)
    })
  }

  it('refuses a field that is not there', () => {
    assert.throws(() => completeSearch('colour = ', fields), { code: 'unsearchable', message: /no field "colour"/ })
  })
})
