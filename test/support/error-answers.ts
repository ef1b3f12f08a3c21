import assert from 'node:assert/strict'
import type { Answer } from './test-server.ts'

function isLinks(path: string): boolean {
  return path.startsWith('/v2')
}

/** Checks status and form of an error, and gives its message. */
export function messageIn(
  { status, body, headers }: Answer<Record<string, unknown>>,
  path: string,
  expected: number,
): string {
  assert.equal(status, expected, JSON.stringify(body))
  assert.equal(headers.get('content-type'), 'application/json; charset=utf-8')
  const error = isLinks(path) ? linksError(body, status) : contentError(body, status)
  assert.equal(typeof error, 'string')
  return error
}

/** Checks that the content API refuses a request because of one attribute, in a message with these words. */
export function refused(answer: Answer<Record<string, unknown>>, field: string, words = ''): void {
  const message = messageIn(answer, '/content/api', 422)
  assert.deepEqual(Object.keys(answer.body['errors'] as object), [field], message)
  assert.ok(message.includes(words), message)
}

function linksError(body: Record<string, unknown>, status: number): string {
  const keys = status === 400 ? ['message', 'status', 'path', 'request', 'method'] : ['message', 'status']
  assert.deepEqual(Object.keys(body), keys)
  assert.equal(body['status'], status)
  return body['message'] as string
}

function contentError(body: Record<string, unknown>, status: number): string {
  if ([401, 403, 415, 429].includes(status)) {
    assert.deepEqual(Object.keys(body), ['error'])
    return (body['error'] as { message: string }).message
  }
  assert.deepEqual(Object.keys(body), ['displayMessage', 'errors'])
  const isHash = status === 422 || !Array.isArray(body['errors'])
  if (isHash) for (const messages of Object.values(body['errors'] as object)) assert.ok(Array.isArray(messages))
  else assert.deepEqual(body['errors'], [body['displayMessage']])
  return body['displayMessage'] as string
}
