import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findSignaturePacket } from './openpgp-packet.ts'

const keyId = '0123456789abcdef'
const fingerprint = `${'aa'.repeat(12)}${keyId}`
const longFingerprint = `${keyId}${'bb'.repeat(24)}`

function subpackets(lengthBytes: number, ...packets: readonly string[]): string {
  const body = packets.map((each) => Buffer.from([each.length / 2]).toString('hex') + each).join('')
  return (body.length / 2).toString(16).padStart(lengthBytes * 2, '0') + body
}

function packet(body: string, header = 'c2'): Buffer {
  const length = header === 'c2' ? (body.length / 2).toString(16).padStart(2, '0') : ''
  return Buffer.from(header + length + body, 'hex')
}

const version4 = `04001608${subpackets(2, '026553f100', `2104${fingerprint}`)}${subpackets(2, `10${keyId}`)}abcd0000`

describe('findSignaturePacket()', () => {
  it('reads version 4', () => {
    const expected = { keyId: keyId.toUpperCase(), fingerprint: fingerprint.toUpperCase(), createdAt: 0x6553f100 }
    const { length } = Buffer.from(version4, 'hex')

    assert.deepEqual(findSignaturePacket(packet(version4)), expected)
    assert.deepEqual(findSignaturePacket(packet(version4, `88${length.toString(16)}`)), expected)
    assert.deepEqual(findSignaturePacket(packet(version4, `8900${length.toString(16)}`)), expected)
    assert.deepEqual(findSignaturePacket(packet(version4, `8a000000${length.toString(16)}`)), expected)
    assert.deepEqual(findSignaturePacket(packet(version4, '8b')), expected)
    assert.deepEqual(findSignaturePacket(packet(version4, `c2ff000000${length.toString(16)}`)), expected)
  })

  it('reads version 3', () => {
    const body = `0305006553f100${keyId}0108abcd0000`

    assert.deepEqual(findSignaturePacket(packet(body)), {
      keyId: keyId.toUpperCase(),
      fingerprint: undefined,
      createdAt: 0x6553f100,
    })
  })

  it('takes the key of a fingerprint of version 4 from its end, of version 6 from its beginning', () => {
    const four = `04001608${subpackets(2, `2104${fingerprint}`)}${subpackets(2)}abcd0000`
    const six = `06001b08${subpackets(4, `2106${longFingerprint}`)}${subpackets(4)}abcd0000`

    assert.equal(findSignaturePacket(packet(four))?.keyId, keyId.toUpperCase())
    assert.equal(findSignaturePacket(packet(six))?.keyId, keyId.toUpperCase())
  })

  it('believes what is signed before what is not', () => {
    const body = `04001608${subpackets(2, `10${keyId}`)}${subpackets(2, `10${'ff'.repeat(8)}`)}abcd0000`

    assert.equal(findSignaturePacket(packet(body))?.keyId, keyId.toUpperCase())
  })

  it('finds nothing in other packets, other versions and other bytes', () => {
    for (const bytes of [
      Buffer.alloc(0),
      Buffer.from('text'),
      packet(version4, 'c6'),
      packet(`05${version4.slice(2)}`),
      packet(version4, 'c2e0'),
      packet(version4, 'c2ff00000100'),
    ]) {
      assert.equal(findSignaturePacket(bytes), undefined, bytes.toString('hex'))
    }
  })

  it('finds nothing when it ends too early, wherever that is', () => {
    const whole = packet(version4)
    for (let length = 0; length < whole.length; length += 1) {
      assert.equal(findSignaturePacket(whole.subarray(0, length)), undefined, String(length))
    }
  })
})
