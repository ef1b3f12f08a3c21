import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { isPrivateAddress } from './private-addresses.ts'
import { isPrivateHost, lookUpPublic } from './private-guard.ts'

describe('isPrivateAddress', () => {
  for (const address of [
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '100.127.255.255',
    '127.0.0.1',
    '127.255.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::7f00:1',
    '::ffff:10.0.0.1',
    '::ffff:8.8.8.8',
    '64:ff9b::10.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b::',
    '2002:7f00:1::',
    '2002:a00:1::1',
    '2001::1',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fe80::1%eth0',
    '[fe80::1]',
    'fec0::1',
    'ff02::1',
    '',
    'localhost',
    '010.0.0.1',
  ]) {
    it(`is true for "${address}"`, () => assert.equal(isPrivateAddress(address), true))
  }

  for (const address of [
    '1.1.1.1',
    '9.255.255.255',
    '100.63.255.255',
    '100.128.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.169.0.1',
    '198.20.0.1',
    '223.255.255.255',
    '2606:4700::1111',
    '64:ff9b::8.8.8.8',
    '2002:808:808::1',
    '[2a00::1]',
  ]) {
    it(`is false for "${address}"`, () => assert.equal(isPrivateAddress(address), false))
  }
})

describe('isPrivateHost', () => {
  for (const [host, isPrivate] of [
    ['localhost', true],
    ['LOCALHOST.', true],
    ['a.b.localhost', true],
    ['10.0.0.1', true],
    ['[::1]', true],
    ['localhost.example', false],
    ['mylocalhost', false],
    ['1.1.1.1', false],
  ] as const) {
    it(`is ${isPrivate} for "${host}"`, () => assert.equal(isPrivateHost(host), isPrivate))
  }
})

describe('lookUpPublic', () => {
  const lookUp = promisify(lookUpPublic)

  for (const all of [true, false]) {
    it(`refuses a name that has only private addresses${all ? '' : ', when one is wanted'}`, async () => {
      await assert.rejects(lookUp('localhost', { all }), { code: 'ERR_PRIVATE_ADDRESS' })
    })
  }

  it('gives public addresses', async () => {
    assert.equal(await lookUp('1.1.1.1', {}), '1.1.1.1')
    assert.deepEqual(await lookUp('1.1.1.1', { all: true }), [{ address: '1.1.1.1', family: 4 }])
  })

  it('passes on that a name is unknown', async () => {
    await assert.rejects(lookUp('host.invalid', {}), { syscall: 'getaddrinfo' })
  })
})
