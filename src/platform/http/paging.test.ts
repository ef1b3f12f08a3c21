import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { indexBody, pageOf } from './paging.ts'

describe('pageOf', () => {
  for (const [query, page] of [
    [{}, { number: 1, size: 20, limit: 20, offset: 0 }],
    [{ page: 3 }, { number: 3, size: 20, limit: 20, offset: 40 }],
    [
      { page: 2, per_page: 7 },
      { number: 2, size: 7, limit: 7, offset: 7 },
    ],
    [{ per_page: 4_294_967_296 }, { number: 1, size: 4_294_967_296, limit: 4_294_967_296, offset: 0 }],
    [
      { page: 2, full_result: true },
      { number: 1, size: 20, limit: undefined, offset: 0 },
    ],
    [
      { page: 2, full_result: false },
      { number: 2, size: 20, limit: 20, offset: 20 },
    ],
  ] as const) {
    it(`of ${JSON.stringify(query)} is ${JSON.stringify(page)}`, () => {
      assert.deepEqual(pageOf(query), page)
    })
  }

  it('stays within what the database can count, however far the page is', () => {
    const { offset, limit } = pageOf({ page: Number.MAX_SAFE_INTEGER, per_page: Number.MAX_SAFE_INTEGER })

    assert.ok(Number.isSafeInteger(offset))
    assert.ok(Number.isSafeInteger(limit))
  })
})

describe('indexBody', () => {
  it('says how many there are in all and where this page is', () => {
    const body = indexBody([{ id: 1 }], { total: 21, page: pageOf({ page: 2 }) })

    assert.deepEqual(body, {
      total: 21,
      subtotal: 21,
      page: 2,
      per_page: 20,
      search: null,
      sort: { by: null, order: null },
      results: [{ id: 1 }],
    })
  })

  it('says that a full result is one page', () => {
    const { page, per_page } = indexBody([], { total: 21, page: pageOf({ full_result: true }) }) as Record<
      string,
      unknown
    >

    assert.deepEqual({ page, per_page }, { page: 1, per_page: 21 })
  })
})
