import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Gpg, lacksGpg } from '../../../test/support/gpg.ts'
import { verifyDetached } from './verify-detached.ts'

const bytes = Buffer.from('<repomd/>\n')

describe('a detached signature', { skip: lacksGpg }, () => {
  let gpg: Gpg
  let key: string
  let stranger: string
  let keyText: string
  before(async () => {
    gpg = await Gpg.open()
    key = await gpg.createKey('upstream')
    stranger = await gpg.createKey('stranger', { algorithm: 'rsa2048' })
    keyText = await gpg.exportKeys(key)
  })
  after(() => gpg[Symbol.asyncDispose]())

  it('by the key is valid, and says whose it is', async () => {
    const verification = await verifyDetached(bytes, await gpg.sign(bytes, key), { keys: keyText })

    assert.deepEqual(verification, {
      isValid: true,
      signedBy: { fingerprint: key, userId: 'upstream <upstream@example.com>' },
      problem: undefined,
    })
  })

  it('is valid in its binary form, and with a key in its binary form', async () => {
    const binary = await gpg.output(['--dearmor', '-o', '-'], await gpg.sign(bytes, key))
    const ring = await gpg.output(['--dearmor', '-o', '-'], keyText)

    assert.equal((await verifyDetached(bytes, binary, { keys: ring })).isValid, true)
    assert.equal((await verifyDetached(bytes, Buffer.from(await gpg.sign(bytes, key)), { keys: ring })).isValid, true)
  })

  it('is checked with all keys of a text, in one block or in several', async () => {
    const signature = await gpg.sign(bytes, key)
    const both = await gpg.exportKeys(stranger, key)
    const apart = `Keys of 2024\r\n${await gpg.exportKeys(stranger)}\nand\n${keyText}and so on`

    for (const text of [both, apart])
      assert.equal((await verifyDetached(bytes, signature, { keys: text })).isValid, true)
  })

  it('by several keys is valid when one of them is known', async () => {
    const signature = await gpg.sign(bytes, key, ['-u', stranger])

    assert.equal((await verifyDetached(bytes, signature, { keys: keyText })).isValid, true)
    assert.equal((await verifyDetached(bytes, signature, { keys: await gpg.exportKeys(stranger) })).isValid, true)
  })

  it('by a subkey is valid, and named by the whole key', async () => {
    const whole = await gpg.createKey('subkeys')
    await gpg.addSubkey(whole)
    const signature = await gpg.sign(bytes, 'subkeys@example.com')

    const { isValid, signedBy } = await verifyDetached(bytes, signature, { keys: await gpg.exportKeys(whole) })

    assert.deepEqual([isValid, signedBy?.fingerprint], [true, whole])
  })

  it('of text that was signed line by line is valid', async () => {
    const signature = await gpg.sign(bytes, key, ['--textmode'])

    assert.equal((await verifyDetached(bytes, signature, { keys: keyText })).isValid, true)
  })

  it('by a key of DSA, as old repositories have it, is valid', async () => {
    const old = await gpg.createKey('old', { algorithm: 'dsa1024' })
    const signature = await gpg.sign(bytes, old, ['--digest-algo', 'SHA256'])

    assert.deepEqual((await verifyDetached(bytes, signature, { keys: await gpg.exportKeys(old) })).problem, undefined)
  })

  for (const [what, signature, problem] of [
    ['nothing', '', /^it is not signed$/],
    ['a page', '<html>404</html>', /^its signature is none that can be read$/],
    ['half a signature', '-----BEGIN PGP SIGNATURE-----\n\nAAAA', /^its signature is none that can be read$/],
    ['noise in armor', '-----BEGIN PGP SIGNATURE-----\n\nAAAA\n-----END PGP SIGNATURE-----', /none that can be read$/],
    ['noise', Buffer.alloc(300, 0x88), /^its signature is none that can be read$/],
  ] as const) {
    it(`is refused when it is ${what}`, async () => {
      const verification = await verifyDetached(bytes, signature, { keys: keyText })

      assert.deepEqual([verification.isValid, verification.signedBy], [false, undefined])
      assert.match(verification.problem ?? '', problem)
    })
  }

  it('by an unknown key is refused with the id of that key and of those that are known', async () => {
    const { isValid, signedBy, problem } = await verifyDetached(bytes, await gpg.sign(bytes, stranger), {
      keys: keyText,
    })

    assert.deepEqual([isValid, signedBy], [false, undefined])
    const [signer, known] = [stranger.slice(-16), key.slice(-16)]
    assert.equal(problem, `it is signed by the key ${signer}, which is not among those given (${known})`)
  })

  it('of other bytes is refused', async () => {
    const { isValid, problem } = await verifyDetached(Buffer.from('other'), await gpg.sign(bytes, key), {
      keys: keyText,
    })

    assert.equal(isValid, false)
    assert.match(problem ?? '', new RegExp(`^its signature by the key ${key.slice(-16)} is not one of these bytes`))
  })

  it('is refused when any bit of the bytes is another one', async () => {
    const signature = await gpg.sign(bytes, key)
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes)
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      assert.equal((await verifyDetached(changed, signature, { keys: keyText })).isValid, false)
    }
  })

  it('is refused when the key is none', async () => {
    const signature = await gpg.sign(bytes, key)
    for (const text of ['', 'no key', '-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nAAAA\n', Buffer.alloc(20, 0x99)]) {
      const { isValid, problem } = await verifyDetached(bytes, signature, { keys: text })
      assert.deepEqual([isValid, problem], [false, 'the key to check it with is none that can be read'])
    }
  })

  it('with a weak hash is refused', async () => {
    const signature = await gpg.sign(bytes, stranger, ['--digest-algo', 'SHA1'])

    const { isValid, signedBy, problem } = await verifyDetached(bytes, signature, {
      keys: await gpg.exportKeys(stranger),
    })

    assert.deepEqual([isValid, signedBy?.fingerprint], [false, stranger])
    assert.equal(problem, `its signature by the key ${stranger.slice(-16)} is made with the weak hash SHA1`)
  })

  it('that has expired is refused', async () => {
    const signature = await gpg.sign(bytes, key, ['--default-sig-expire', '1d'])
    const later = new Date(Date.now() + 3 * 24 * 3600_000)

    assert.equal((await verifyDetached(bytes, signature, { keys: keyText })).isValid, true)
    const { problem } = await verifyDetached(bytes, signature, { keys: keyText, now: later })
    assert.equal(problem, `its signature by the key ${key.slice(-16)} has expired`)
  })

  it('by a key that has expired meanwhile is refused, and says so', async () => {
    const expired = await gpg.createKey('expired', { day: '20200101', life: '2d' })
    const signature = await gpg.sign(bytes, expired, ['--faked-system-time', '20200102T120000!'])

    const { isValid, signedBy, problem } = await verifyDetached(bytes, signature, {
      keys: await gpg.exportKeys(expired),
    })

    assert.deepEqual([isValid, signedBy?.fingerprint], [false, expired])
    assert.equal(problem, `it is signed by the key ${expired.slice(-16)}, which expired on 2020-01-03`)
  })

  it('by a key whose life was extended later is valid', async () => {
    const extended = await gpg.createKey('extended', { day: '20200101', life: '2d' })
    const signature = await gpg.sign(bytes, extended, ['--faked-system-time', '20200102T120000!'])
    await gpg.output(['--quick-set-expire', extended, '0'])
    const clean = await gpg.output(['--armor', '--export-options', 'export-minimal', '--export', extended])

    assert.equal((await verifyDetached(bytes, signature, { keys: clean.toString() })).problem, undefined)
  })

  it('by a revoked key is refused, and says so', async () => {
    const revoked = await gpg.createKey('revoked')
    const signature = await gpg.sign(bytes, revoked)
    await gpg.revoke(revoked)

    const { isValid, signedBy, problem } = await verifyDetached(bytes, signature, {
      keys: await gpg.exportKeys(revoked),
    })

    assert.deepEqual([isValid, signedBy?.fingerprint], [false, revoked])
    assert.equal(problem, `it is signed by the key ${revoked.slice(-16)}, which is revoked`)
  })

  it('from the near future is valid: clocks differ', async () => {
    const yesterday = new Date(Date.now() - 3600_000)

    assert.equal(
      (await verifyDetached(bytes, await gpg.sign(bytes, key), { keys: keyText, now: yesterday })).isValid,
      true,
    )
  })

  it('is judged without a fault whatever bytes are changed in it or in the key', async () => {
    const signature = await gpg.output(['--dearmor', '-o', '-'], await gpg.sign(bytes, key))
    const ring = await gpg.output(['--dearmor', '-o', '-'], keyText)
    for (const [index] of signature.entries()) {
      const changed = Buffer.from(signature)
      changed[index] = (changed[index] ?? 0) ^ (1 << (index % 8))
      const { problem } = await verifyDetached(bytes, changed, { keys: ring })
      assert.ok(problem === undefined || problem.length > 10)
      assert.equal((await verifyDetached(bytes, signature.subarray(0, index), { keys: ring })).isValid, false)
    }
    for (const [index] of ring.entries()) {
      const changed = Buffer.from(ring)
      changed[index] = (changed[index] ?? 0) ^ (1 << (index % 8))
      const { problem } = await verifyDetached(bytes, signature, { keys: changed })
      assert.ok(problem === undefined || problem.length > 10)
    }
  })
})
