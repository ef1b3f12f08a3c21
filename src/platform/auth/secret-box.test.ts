import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SecretBox } from './secret-box.ts'

const box = new SecretBox('a key of sixteen or more')
const purpose = 'repositories.password.17'
const refused = { code: 'internal', message: /^Cannot open a stored secret/ }

/** The sealed text with its bytes changed. */
function damaged(sealed: string, change: (bytes: Buffer) => Buffer): string {
  return `v1:${change(Buffer.from(sealed.slice(3), 'base64')).toString('base64')}`
}

describe('a secret box', () => {
  for (const text of ['secret', '', 'ünïcode 😀', 'x'.repeat(100_000)]) {
    it(`gives back what it sealed: ${JSON.stringify(text).slice(0, 20)}`, () => {
      const sealed = box.seal(text, purpose)

      assert.equal(box.open(sealed, purpose), text)
      assert.equal(new SecretBox('a key of sixteen or more').open(sealed, purpose), text)
    })
  }

  it('seals the same text differently each time, and shows nothing of it', () => {
    const [one, other] = [box.seal('secret', purpose), box.seal('secret', purpose)]

    assert.notEqual(one, other)
    assert.doesNotMatch(one, /secret/)
  })

  it('does not open with another key', () => {
    const sealed = new SecretBox('a key of sixteen or more!').seal('secret', purpose)

    assert.throws(() => box.open(sealed, purpose), refused)
  })

  it('does not open for another purpose', () => {
    const sealed = box.seal('secret', purpose)

    assert.throws(() => box.open(sealed, 'repositories.password.18'), refused)
  })

  it('does not open when any one byte was changed', () => {
    const sealed = box.seal('secret', purpose)
    const length = Buffer.from(sealed.slice(3), 'base64').length

    for (let at = 0; at < length; at += 1) {
      const changed = damaged(sealed, (bytes) => {
        bytes[at] = (bytes[at] as number) ^ 1
        return bytes
      })
      assert.throws(() => box.open(changed, purpose), refused, `byte ${at}`)
    }
  })

  it('does not open when bytes are missing, also those of the tag', () => {
    const sealed = box.seal('', purpose)

    for (let length = 0; length < 28; length += 1) {
      const cut = damaged(sealed, (bytes) => bytes.subarray(0, length))
      assert.throws(() => box.open(cut, purpose), refused, `${length} bytes`)
    }
  })

  for (const text of ['', 'v1:', 'plain text', 'v1:!!!!', 'v2:AAAA']) {
    it(`does not open what it never sealed: ${JSON.stringify(text)}`, () => {
      assert.throws(() => box.open(text, purpose), refused)
    })
  }
})
