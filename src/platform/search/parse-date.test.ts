import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseDate } from './parse-date.ts'

const now = Date.UTC(2021, 9, 27, 10, 11, 15, 678)
const day = (iso: string) => [`${iso}T00:00:00.000Z`, new Date(Date.parse(iso) + 86_400_000).toISOString()]
const second = (iso: string) => [`${iso}.000Z`, new Date(Date.parse(`${iso}Z`) + 1000).toISOString()]

describe('parseDate()', () => {
  for (const [text, span] of [
    ['2021-10-27', day('2021-10-27')],
    ['2021/1/3', day('2021-01-03')],
    ['2021-10-27 10:11:15 UTC', second('2021-10-27T10:11:15')],
    ['2021-10-27T10:11:15Z', second('2021-10-27T10:11:15')],
    ['2021-10-27T10:11:15.123+02:00', second('2021-10-27T08:11:15')],
    ['2021-10-27 10:11', second('2021-10-27T10:11:00')],
    ['2021-10-27 22:11 -0330', second('2021-10-28T01:41:00')],
    ['Jan 3 2021', day('2021-01-03')],
    ['january 3, 2021', day('2021-01-03')],
    ['3 Sept 2021', day('2021-09-03')],
    ['3 May', day('2021-05-03')],
    ['Jan 3 2021 9:05', second('2021-01-03T09:05:00')],
    ['today', day('2021-10-27')],
    ['Yesterday', day('2021-10-26')],
    ['tomorrow', day('2021-10-28')],
    ['now', second('2021-10-27T10:11:15')],
    ['2 days ago', day('2021-10-25')],
    ['a week ago', day('2021-10-20')],
    ['1 month ago', day('2021-09-27')],
    ['2 years  from now', day('2023-10-27')],
    ['3 hours ago', second('2021-10-27T07:11:15')],
    ['90 seconds from now', second('2021-10-27T10:12:45')],
  ] as const) {
    it(`reads ${text}`, () => {
      const { from, to } = parseDate(text, now) ?? {}
      assert.deepEqual([from?.toISOString(), to?.toISOString()], span)
    })
  }

  for (const text of [
    '',
    '7',
    '2021',
    'zoo',
    'march',
    'marsh 3 2021',
    '2021-02-30',
    '2021-13-01',
    '0000-01-01',
    '2021-10-27 24:00',
    'Jan 32 2021',
    '999999 years ago',
    '999999 years from now',
    'constructor',
    '2 constructors ago',
  ]) {
    it(`knows no date ${JSON.stringify(text)}`, () => {
      assert.equal(parseDate(text, now), undefined)
    })
  }
})
