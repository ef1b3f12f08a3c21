import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hashPassword, verifyPassword } from './passwords.ts'

describe('a password hash', () => {
  for (const password of ['correct horse battery', '', 'Pässwörd 😀', 'x'.repeat(1000), 'with:colon and\nnewline']) {
    it(`matches ${JSON.stringify(password).slice(0, 30)} and nothing else`, async () => {
      const hash = await hashPassword(password)

      assert.equal(await verifyPassword(hash, password), true)
      assert.equal(await verifyPassword(hash, `${password} `), false)
      assert.equal(await verifyPassword(hash, password.toUpperCase()), password === password.toUpperCase())
    })
  }

  it('is argon2id in the PHC format, another one each time', async () => {
    const hashes = await Promise.all([hashPassword('same'), hashPassword('same')])

    for (const hash of hashes) {
      assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
    }
    assert.notEqual(hashes[0], hashes[1])
  })

  it('is read with the cost it was made with', async () => {
    const cheap = '$argon2id$v=19$m=64,t=1,p=1$MDEyMzQ1Njc4OWFiY2RlZg$'
    const hash = await hashPassword('x')
    const other = hash.replace('t=2', 't=3')

    assert.equal(await verifyPassword(other, 'x'), false)
    assert.equal(await verifyPassword(cheap, 'x'), false)
  })

  for (const hash of [
    '',
    'x',
    'plain text',
    '$2b$10$abcdefghijklmnopqrstuv',
    '$argon2i$v=19$m=19456,t=2,p=1$AAAA$AAAA',
  ]) {
    it(`in another form never matches: ${JSON.stringify(hash)}`, async () => {
      assert.equal(await verifyPassword(hash, hash), false)
    })
  }
})
