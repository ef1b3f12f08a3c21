import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseSearch } from './parse-search.ts'
import type { SearchTree } from './search-tree.ts'

/** As an S-expression; what is no plain word is quoted. */
function shown(tree: SearchTree): string {
  const text = (word: string) => (/^[\w.!^*%-]+$/.test(word) ? word : JSON.stringify(word))
  switch (tree.type) {
    case 'and':
    case 'or':
      return `(${[tree.type, ...tree.parts.map(shown)].join(' ')})`
    case 'not':
      return `(not ${shown(tree.part)})`
    case 'word':
      return text(tree.text)
    case 'presence':
      return `(${tree.isPresent ? 'notnull' : 'null'} ${text(tree.field)})`
    case 'comparison':
      return `(${[tree.operator, ...(tree.field === undefined ? [] : [tree.field]), text(tree.values.join(','))].join(' ')})`
  }
}

describe('parseSearch()', () => {
  for (const [search, tree] of [
    ['zoo bear', '(and zoo bear)'],
    ['a and b or c', '(and a (or b c))'],
    ['a or b and c', '(or a (and b c))'],
    ['a or b c', '(and (or a b) c)'],
    ['a b or c', '(and a (or b c))'],
    ['(a or b) and c', '(and (or a b) c)'],
    ['not a b', '(and (not a) b)'],
    ['not (name = a or name = b)', '(not (or (= name a) (= name b)))'],
    ['-foo', '(not foo)'],
    ['foo-bar', 'foo-bar'],
    ['content_view_id=3,version=1.0', '(and (= content_view_id 3) (= version 1.0))'],
    ['label = a b', '(and (= label a) b)'],
    ['name ^ (a,b)', '(^ name "a,b")'],
    ['name^(a,b)', '(^ name "a,b")'],
    ['name !^ (a, b c)', '(!^ name "a,b,c")'],
    ['name!^(a,b)', '(!^ name "a,b")'],
    ['name^ (a,b) c', '(and (^ name "a,b") c)'],
    ['name ^ a', '(^ name a)'],
    ['name!=x', '(!= name x)'],
    ['name != x', '(!= name x)'],
    ['name!~x', '(!~ name x)'],
    ['has description and name = x', '(and (notnull description) (= name x))'],
    ['set? a null? b', '(and (notnull a) (null b))'],
    ['not has a', '(not (notnull a))'],
    ['name = ', 'name'],
    ['name = a and', '(= name a)'],
    ['name = a and not -', '(= name a)'],
    ['has', '(and)'],
    ['name after 3', '(> name 3)'],
    ['name BEFORE 3', '(< name 3)'],
    ['name at 3', '(= name 3)'],
    ['a = "x\\"y"', '(= a "x\\"y")'],
    ['a = "x\\\\y"', '(= a "x\\\\y")'],
    ['a = "no end', '(= a "no end")'],
    ['a = "no end\\', '(= a "no end")'],
    ['name="My Repo"', '(= name "My Repo")'],
    ['f = a > c', '(and (= f a) (> c))'],
    ['~ foo', '(~ foo)'],
    ['a && b || c & d | e', '(and a (or b (and c (or d e))))'],
    ['a AND b Or not c', '(and a (or b (not c)))'],
    ['"and" "or"', '(and and or)'],
    ['not not x', '(not (not x))'],
    ['! x', '(not x)'],
    ['a == b c <> d e >= f g <= h', '(and (= a b) (!= c d) (>= e f) (<= g h))'],
    ['id > -5', '(> id -5)'],
    ['a^b c!d e"f', '(and a^b c!d "e\\"f")'],
    ['(a b', '(and a b)'],
    ['((a)) ()', 'a'],
    ['a or ()', 'a'],
    [',a,,b,', '(and a b)'],
    ['a or b, c', '(and (or a b) c)'],
    ['""', '""'],
    ['', '(and)'],
    ['  ', '(and)'],
    ['()', '(and)'],
  ] as const) {
    it(`reads ${search === '' ? 'nothing' : search} as ${tree}`, () => {
      assert.equal(shown(parseSearch(search)), tree)
    })
  }

  for (const [search, message] of [
    ['name = and b', /a value is expected before "and"/],
    ['name = (a)', /a value is expected before "\("/],
    ['and a', /a value is expected before "and"/],
    ['a or or b', /a value is expected before "or"/],
    ['has (a)', /a field is expected before "\("/],
    ['not ()', /nothing behind "not"/],
    ['a )', /a "\)" without its "\("/],
    ['a = = b', /a value is expected before "="/],
    [`a${' '.repeat(10_000)}`, /longer than 10000 characters/],
    ['('.repeat(5000), /nested more than 100 deep/],
    [`${'not '.repeat(2000)}a`, /nested more than 100 deep/],
    [`${'!'.repeat(5000)}a`, /nested more than 100 deep/],
    [`${'a and b or '.repeat(80)}c`, /nested more than 100 deep/],
    [`a${' a'.repeat(200)}`, /more than 200 conditions/],
    [`a${' or a'.repeat(200)}`, /more than 200 conditions/],
  ] as const) {
    it(`refuses ${search.slice(0, 20)}: ${message.source}`, () => {
      assert.throws(() => parseSearch(search), { code: 'unsearchable', message })
    })
  }
})
