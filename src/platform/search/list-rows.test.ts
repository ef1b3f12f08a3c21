import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { SeededRandom } from '../../../test/support/seeded-random.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/support/test-database.ts'
import { listRequest, type SearchRequest } from './list-request.ts'
import { listRows } from './list-rows.ts'
import type { Searchable } from './search-fields.ts'

interface Animal {
  readonly name: string
}

const now = Date.UTC(2021, 9, 27, 12)
let opened: TestDatabase
let db: Kysely<{ animals: Animal }>
before(async () => {
  opened = await createTestDatabase()
  db = opened.database.tables<{ animals: Animal }>()
  await sql`
    create table animals (id bigint primary key, name text collate "C" not null, note text, legs integer,
      is_tame boolean, born timestamptz, version text);
    create table toys (animal_id bigint, name text)`.execute(db)
  await sql`
    insert into animals values
      (1, 'Bear', null, 4, false, '2021-10-26 23:59:59.5Z', '1.10'),
      (2, 'bear', 'a 100% "bear"', 4, true, '2021-10-27 00:00:00Z', '1.9'),
      (3, 'Snake', 'back\\slash', 0, false, '2021-10-25 05:00:00Z', '1.2'),
      (4, 'Ärmel', 'under_score', null, null, null, null)`.execute(db)
  await sql`insert into toys values (1, 'ball'), (1, 'stick'), (2, 'ball'), (3, null)`.execute(db)
})
after(() => opened[Symbol.asyncDispose]())

const column = (name: string) => sql.ref(`a.${name}`)
const numbers = (text: ReturnType<typeof column> | string) => sql`string_to_array(${text}, '.')::int[]`
const searchable: Searchable = {
  fields: [
    { names: ['name', 'title'], type: 'string', expression: column('name') },
    { names: ['note'], type: 'string', expression: column('note'), isExplicitOnly: true },
    { names: ['legs'], type: 'integer', expression: column('legs') },
    { names: ['is_tame'], type: 'boolean', expression: column('is_tame') },
    { names: ['born'], type: 'date', expression: column('born') },
    {
      names: ['wild'],
      type: 'choice',
      choices: new Map([
        ['true', false],
        ['false', true],
      ]),
      expression: column('is_tame'),
    },
    {
      names: ['version'],
      type: 'string',
      expression: column('version'),
      isExplicitOnly: true,
      rank: { expression: numbers(column('version')), of: numbers },
    },
    {
      names: ['toy'],
      type: 'string',
      expression: sql.ref('toys.name'),
      isExplicitOnly: true,
      some: (isWanted) => sql`exists (select 1 from toys where toys.animal_id = a.id and ${isWanted})`,
    },
  ],
  order: { by: 'name', direction: 'asc' },
  id: column('id'),
}

async function list(query: SearchRequest) {
  const scope = db.selectFrom('animals as a').select(sql<number>`a.id`.as('id')).where(sql<boolean>`a.id < 100`)
  const { rows, ...counts } = await listRows(scope, searchable, listRequest(query, now))
  return { ids: rows.map(({ id }) => id), ...counts }
}

describe('a search', () => {
  for (const [search, ids] of [
    ['name = bear', [2]],
    ['name = Bea', []],
    ['Title = Bear', [1]],
    ['name != bear', [1, 3, 4]],
    ['name ~ BEAR', [1, 2]],
    ['name ~ ear', [1, 2]],
    ['name ~ ea*', []],
    ['name ~ b*', [1, 2]],
    ['name ~ %ke', [3]],
    ['name ~ B*r*', [1, 2]],
    ['name ~ b_ar', [1, 2]],
    ['name ~ ä', [4]],
    ['name !~ bear', [3, 4]],
    ['name ^ (bear, Snake)', [2, 3]],
    ['name !^ (bear,Snake)', [1, 4]],
    ['name ^ ()', []],
    ['name > S', [2, 3, 4]],
    ['name <= Bear', [1]],
    ['note != x', [2, 3, 4]],
    ['note !~ x', [2, 3, 4]],
    ['note !^ (x)', [2, 3, 4]],
    ['not note = x', [1, 2, 3, 4]],
    ['not note ~ bear', [1, 3, 4]],
    ['has note', [2, 3, 4]],
    ['null? note', [1]],
    ['note ~ "k\\\\s"', [3]],
    ['note ~ "\\\\"', [3]],
    ['note = "a 100% \\"bear\\""', [2]],
    ['legs = 4', [1, 2]],
    ['legs != 4', [3]],
    ['legs > 0', [1, 2]],
    ['legs >= -1', [1, 2, 3]],
    ['legs ^ (0, 7)', [3]],
    ['legs !^ (0)', [1, 2]],
    ['null? legs', [4]],
    ['is_tame = true', [2]],
    ['is_tame != yes', [1, 3]],
    ['wild = true', [1, 3]],
    ['wild = FALSE', [2]],
    ['wild', [1, 3]],
    ['not wild', [2, 4]],
    ['is_tame', []],
    ['born = yesterday', [1]],
    ['born = 2021-10-26', [1]],
    ['born != 2021-10-26', [2, 3]],
    ['born > 2021-10-26', [2]],
    ['born >= 2021-10-26', [1, 2]],
    ['born before yesterday', [3]],
    ['born <= 2021-10-26', [1, 3]],
    ['born after "2 days ago"', [1, 2]],
    ['born = "2021-10-26 23:59:59 UTC"', [1]],
    ['born ^ (today, "2 days ago")', [2, 3]],
    ['born !^ (today)', [1, 3]],
    ['version > 1.2', [1, 2]],
    ['version < 1.10', [2, 3]],
    ['toy = ball', [1, 2]],
    ['toy != ball', [1]],
    ['toy !~ ball', [1]],
    ['toy ~ st', [1]],
    ['not toy = ball', [3, 4]],
    ['has toy', [1, 2]],
    ['null? toy', [3, 4]],
    ['bear', [1, 2]],
    ['ear nak', []],
    ['ear or nak', [1, 2, 3]],
    ['slash', []],
    ['4', [1, 2]],
    ['today', [2]],
    ['ball', []],
    ['= bear', [2]],
    ['= 0', [3]],
    ['!= bear', [1, 3, 4]],
    ['!~ bear', [3, 4]],
    ['^ (bear, Snake)', [2, 3]],
    ['', [1, 2, 3, 4]],
    ["'; drop table animals; --", []],
    ['name = "$1"', []],
  ] as const) {
    it(`${search} finds ${JSON.stringify(ids)}`, async () => {
      const found = await list({ search })
      assert.deepEqual([found.ids.sort(), found.total, found.subtotal], [ids, 4, ids.length])
    })
  }

  for (const [search, message] of [
    ['colour = red', /no field "colour"; the fields are born, is_tame, legs, name/],
    ['has colour', /no field "colour"/],
    ['__proto__ = x', /no field "__proto__"/],
    ['legs ~ 4', /legs holds numbers, which cannot be compared with ~/],
    ['born !~ 4', /born holds dates/],
    ['legs = four', /legs is compared with whole numbers, not with "four"/],
    ['legs ^ (1, x)', /not with "x"/],
    ['legs = 9999999999999999999', /whole numbers/],
    ['born = zoo', /born is compared with dates/],
    ['wild = perhaps', /wild can be true, false, not "perhaps"/],
    ['wild > true', /wild can be compared with = and != only/],
    ['is_tame ~ t', /is_tame can be compared with = and != only/],
  ] as const) {
    it(`${search} is refused: ${message.source}`, async () => {
      await assert.rejects(list({ search }), { code: 'unsearchable', message })
    })
  }

  it('may have as many conditions as are allowed', async () => {
    const search = Array.from({ length: 50 }, () => 'not bear or ~ b and').join(' ')
    assert.equal((await list({ search: `${search} bear` })).total, 4)
    assert.equal((await list({ search: `${'('.repeat(90)}bear${')'.repeat(90)}` })).subtotal, 2)
  })
})

describe('any text', () => {
  const words =
    'name legs born wild is_tame toy version note bear 4 -4 true today "2 days ago" 2021-10-26 "a \\" * % _ \\ $1 :x ? '.split(
      ' ',
    )
  const signs = "= != ~ !~ > >= < <= ^ !^ ( ) , and or not has null? - ! & | \" ''".split(' ')

  it('is either understood or refused, by all of its parts together', async () => {
    const random = new SeededRandom(20_240_607)
    for (let count = 0; count < 1500; count += 1) {
      const parts = Array.from({ length: random.below(9) }, () => random.pick(random.chance(0.5) ? words : signs))
      const search = parts.join(random.pick([' ', ' ', '']))
      await list({ search, order: random.pick([...words, 'x']) }).catch((error: { code: string }) => {
        assert.equal(error.code, 'unsearchable', search)
      })
    }
  })
})

describe('an order', () => {
  for (const [query, ids] of [
    [{}, [1, 3, 2, 4]],
    [{ order: 'name DESC' }, [4, 2, 3, 1]],
    [{ order: 'legs' }, [4, 3, 2, 1]],
    [{ order: 'legs desc' }, [2, 1, 3, 4]],
    [{ order: 'version asc' }, [4, 3, 2, 1]],
    [{ order: 'born down', sort_by: 'name' }, [4, 3, 1, 2]],
    [{ sort_by: 'name', sort_order: 'Desc' }, [4, 2, 3, 1]],
    [{ sort_order: 'DESC' }, [4, 2, 3, 1]],
    [{ order: '', sort_by: 'legs' }, [4, 3, 2, 1]],
  ] as const) {
    it(`${JSON.stringify(query)} gives ${ids.join(', ')}`, async () => {
      assert.deepEqual((await list(query)).ids, ids)
    })
  }

  it('is refused by an unknown field, and by one of which rows have many', async () => {
    await assert.rejects(list({ order: 'colour ASC' }), { code: 'unsearchable', message: /no field "colour"/ })
    await assert.rejects(list({ order: 'toy' }), { code: 'unsearchable', message: /more than one toy/ })
    await assert.rejects(list({ sort_by: 'name;--' }), { code: 'unsearchable' })
  })
})

describe('a page', () => {
  it('is a part of what is found', async () => {
    assert.deepEqual(await list({ search: 'legs > -1', page: 2, per_page: 2 }), { ids: [2], total: 4, subtotal: 3 })
    assert.deepEqual((await list({ page: 9 })).ids, [])
    assert.equal((await list({ per_page: 1, full_result: true })).ids.length, 4)
    assert.equal((await list({ per_page: 4_294_967_296 })).ids.length, 4)
  })
})
