import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, it } from 'node:test'
import { HotAnswers } from './hot-answers.ts'

const url = '/content/a'
const etag = '"1"'

function answer(size = 3) {
  return { etag, headers: { etag, 'cache-control': 'no-cache' }, body: Buffer.alloc(size, 'x') }
}

/** Asks, and gives the status; undefined when it was left to others. */
function ask(hot: HotAnswers, headers: Record<string, string> = {}, method = 'GET'): number | undefined {
  let status: number | undefined
  const response = {
    writeHead(code: number) {
      status = code
      return response
    },
    end: () => response,
  }
  const request = { method, url, headers } as unknown as IncomingMessage
  return hot.serve(request, response as unknown as ServerResponse) ? status : undefined
}

describe('hot answers', () => {
  it('are given to who asks for the whole, and to who has it already', () => {
    const hot = new HotAnswers({ nowMs: () => 0 })
    assert.equal(ask(hot), undefined)
    hot.keep(url, answer(), hot.generation)

    assert.equal(ask(hot), 200)
    assert.equal(ask(hot, { 'if-none-match': etag }), 304)
  })

  it('are not for ranges, dates, other tags and other methods', () => {
    const hot = new HotAnswers({ nowMs: () => 0 })
    hot.keep(url, answer(), hot.generation)

    for (const headers of [{ range: 'bytes=0-1' }, { 'if-modified-since': 'x' }, { 'if-none-match': '"2"' }])
      assert.equal(ask(hot, headers), undefined)
    assert.equal(ask(hot, {}, 'HEAD'), undefined)
  })

  it('are forgotten together, and what was looked up before that is not kept', () => {
    const hot = new HotAnswers({ nowMs: () => 0 })
    const { generation } = hot
    hot.keep(url, answer(), generation)
    hot.forget()
    assert.equal(ask(hot), undefined)
    hot.keep(url, answer(), generation)
    assert.equal(ask(hot), undefined)
  })

  it('are never older than a second', () => {
    let nowMs = 0
    const hot = new HotAnswers({ nowMs: () => nowMs })
    hot.keep(url, answer(), hot.generation)
    nowMs = 1001
    assert.equal(ask(hot), undefined)
  })

  it('take no more memory than they may: the oldest go', () => {
    const hot = new HotAnswers({ nowMs: () => 0, maxBytes: 10_000 })
    hot.keep(url, answer(5000), hot.generation)
    hot.keep('/content/b', answer(5000), hot.generation)
    assert.equal(ask(hot), undefined)
    hot.keep(url, answer(1_000_000), hot.generation)
    assert.equal(ask(hot), undefined)
  })
})
