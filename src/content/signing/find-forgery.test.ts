import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createMessage, generateKey, sign } from 'openpgp'
import { findForgery } from './find-forgery.ts'

const bytes = Buffer.from('the header of a package')
const others = Buffer.from('the header of another one')

async function makeKey(v6Keys: boolean) {
  const { privateKey } = await generateKey({
    type: 'curve25519',
    userIDs: [{ name: 'Vendor' }],
    format: 'object',
    config: { v6Keys },
  })
  const signed = async (binary: Uint8Array) =>
    sign({
      message: await createMessage({ binary }),
      signingKeys: privateKey,
      detached: true,
      format: 'binary',
    })
  const id = privateKey.getKeyID().toHex().toUpperCase()
  return { id, sign: signed, publicKey: privateKey.toPublic().armor() }
}

describe('findForgery()', () => {
  for (const [name, isNew] of [
    ['version 4', false],
    ['version 6', true],
  ] as const) {
    it(`finds a signature of ${name} that is one of other bytes, among several keys, and names its key`, async () => {
      const [key, stranger] = [await makeKey(isNew), await makeKey(isNew)]
      const keys = stranger.publicKey + key.publicKey

      assert.equal(await findForgery(bytes, await key.sign(bytes), keys), undefined)
      const problem = await findForgery(bytes, await key.sign(others), keys)
      assert.equal(problem, `its signature by the key ${key.id} (Vendor) is not one of these bytes`)
      assert.equal(await findForgery(bytes, await key.sign(others), stranger.publicKey), undefined)
    })
  }

  it('finds one of several, and one that was damaged', async () => {
    const key = await makeKey(false)
    const [good, bad] = [await key.sign(bytes), await key.sign(others)]
    const damaged = Buffer.from(good)
    damaged[damaged.length - 3] = (damaged[damaged.length - 3] as number) ^ 1

    for (const signature of [Buffer.concat([good, bad]), damaged])
      assert.match((await findForgery(bytes, signature, key.publicKey)) ?? '', /is not one of these bytes/)
  })

  it('says nothing of what cannot be read, and without keys', async () => {
    const { sign: signed, publicKey } = await makeKey(false)
    for (const signature of [Buffer.alloc(0), Buffer.from('x'), Buffer.alloc(100, 0xff)])
      assert.equal(await findForgery(bytes, signature, publicKey), undefined)
    assert.equal(await findForgery(bytes, await signed(others), 'no key'), undefined)
  })
})
