import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { SeededRandom } from '../../../../test/support/seeded-random.ts'
import { Region } from '../../../platform/native/region.ts'
import { sumOf } from './checksum.ts'
import { SuperFrame, vnetHeaderBytes } from './super-frame.ts'
import { cut, cutRead, type SuperFrameParts, sum, superFrame, vnetHeader } from './test-super-frame.ts'

const payload = randomBytes(10_000)
const segmentBytes = 1448

/** The parts of a frame, found by reading its headers, and whether all checksums are right. */
function dissect(frame: Buffer) {
  let typeAt = 12
  while ([0x8100, 0x88a8].includes(frame.readUInt16BE(typeAt))) typeAt += 4
  const packet = frame.subarray(typeAt + 2)
  const is4 = frame.readUInt16BE(typeAt) === 0x0800
  let headerBytes = is4 ? ((packet[0] ?? 0) % 16) * 4 : 40
  let protocol = packet[is4 ? 9 : 6] ?? 0
  for (; protocol === 0; headerBytes += 8 * ((packet[headerBytes + 1] ?? 0) + 1)) protocol = packet[headerBytes] ?? 0
  const transport = packet.subarray(headerBytes)
  const pseudo = Buffer.alloc(4)
  pseudo[1] = protocol
  pseudo.writeUInt16BE(transport.length, 2)
  const addresses = is4 ? packet.subarray(12, 20) : packet.subarray(8, 40)
  return {
    ethernet: frame.subarray(0, typeAt + 2),
    length: is4 ? packet.readUInt16BE(2) : packet.readUInt16BE(4) + 40,
    packetBytes: packet.length,
    id: is4 ? packet.readUInt16BE(4) : 0,
    isIpRight: !is4 || sum(packet.subarray(0, headerBytes)) === 0xffff,
    isTransportRight: sum(Buffer.concat([addresses, pseudo, transport])) === 0xffff,
    transport,
    payload: transport.subarray(protocol === 6 ? ((transport[12] ?? 0) >> 4) * 4 : 8),
  }
}

const cases: readonly (readonly [string, Partial<SuperFrameParts>])[] = [
  ['TCP over IPv4', {}],
  ['TCP over IPv4, both with options', { tcpOptions: 12, ipOptions: 8 }],
  ['TCP over IPv6', { ip: 6, tcpOptions: 12 }],
  ['TCP over IPv6 with an extension header', { ip: 6, ipOptions: 16 }],
  ['TCP behind a VLAN tag', { tags: [0x8100], tcpOptions: 12 }],
  ['TCP over IPv6 behind two VLAN tags', { tags: [0x88a8, 0x8100], ip: 6 }],
  ['UDP over IPv4', { transport: 'udp' }],
  ['UDP over IPv6 behind a VLAN tag', { transport: 'udp', ip: 6, tags: [0x8100] }],
]

describe('a super-frame', () => {
  for (const [what, parts] of cases) {
    it(`of ${what} is cut into frames with headers and checksums of their own`, () => {
      const whole = superFrame({ payload, segmentBytes, ...parts })
      const frames = cut(whole) ?? []
      const seen = frames.map(dissect)

      assert.equal(frames.length, 7)
      assert.deepEqual(Buffer.concat(seen.map((each) => each.payload)), payload)
      assert.ok(seen.every(({ isIpRight, isTransportRight }) => isIpRight && isTransportRight))
      assert.ok(seen.every(({ length, packetBytes }) => length === packetBytes))
      assert.ok(
        seen.every(({ ethernet }) => ethernet.equals(whole.subarray(vnetHeaderBytes).subarray(0, ethernet.length))),
      )
      if (parts.ip !== 6)
        assert.deepEqual(
          seen.map(({ id }) => id),
          [0xfffe, 0xffff, 0, 1, 2, 3, 4],
        )
      if (parts.transport === 'udp')
        assert.ok(seen.every(({ transport }) => transport.readUInt16BE(4) === transport.length))
      else {
        const sequence = seen.map(({ transport }) => transport.readUInt32BE(4))
        assert.deepEqual(
          sequence,
          [0, 1, 2, 3, 4, 5, 6].map((number) => (0xfffffff0 + number * segmentBytes) >>> 0),
        )
      }
    })
  }

  it('says before it is cut how many frames and bytes it stands for', () => {
    for (const [, parts] of cases) {
      const frame = new SuperFrame()
      const frames = cut(superFrame({ payload, segmentBytes, ...parts }), frame) ?? []

      assert.equal(frame.frames, frames.length)
      assert.equal(frame.wireBytes, Buffer.concat(frames).length)
      assert.equal(frame.largestFrameBytes, Math.max(...frames.map(({ length }) => length)))
    }
  })

  it('of TCP has FIN and PSH on the last frame only, and CWR on the first', () => {
    const frames = cut(superFrame({ payload, segmentBytes: 4000, flags: 0x99 })) ?? []

    assert.deepEqual(
      frames.map((frame) => dissect(frame).transport[13]),
      [0x90, 0x10, 0x19],
    )
  })

  it('that fits into one frame is that frame, its checksum completed', () => {
    const [frame, ...others] = cut(superFrame({ payload: payload.subarray(0, 99), segmentBytes })) ?? []

    assert.deepEqual(others, [])
    assert.equal(dissect(frame ?? Buffer.alloc(0)).isTransportRight, true)
  })

  it('has its VLAN tag put back', () => {
    const whole = superFrame({ payload, segmentBytes })
    const tagged = superFrame({ payload, segmentBytes, tags: [0x8100] })
    const frame = new SuperFrame()
    whole.copy(frame.memory.bytes, frame.readOffset)
    frame.filled(whole.length)

    frame.insertTag(0x8100, 0x200a)

    const headerAt = frame.at - vnetHeaderBytes
    assert.deepEqual(frame.memory.bytes.subarray(headerAt, frame.at), tagged.subarray(0, vnetHeaderBytes))
    assert.deepEqual(cutRead(frame), cut(tagged))
  })

  it('of too long frames is told from its lengths, and no byte of it is copied', () => {
    const [first] = cut(superFrame({ payload: randomBytes(20_000), segmentBytes: 12_000 })) ?? []

    assert.equal(first?.length, 12_054)
  })
})

describe('a frame', () => {
  it('without anything in its header stays as it is', () => {
    for (const length of [0, 1, 13, 14, 60, 1514, 9216]) {
      const frame = randomBytes(length)
      assert.deepEqual(cut(Buffer.concat([vnetHeader(), frame])), [frame])
    }
  })

  it('with a partial checksum gets it completed, at odd places too', () => {
    for (const start of [14, 34, 35, 61]) {
      const frame = randomBytes(101)
      frame.writeUInt16BE(0x1234, start + 6)
      const [done] = cut(Buffer.concat([vnetHeader(1, 0, [0, 0, start, 6]), frame])) ?? []
      const covered = Buffer.from(done?.subarray(start) ?? [])
      const checksum = covered.readUInt16BE(6)
      covered.writeUInt16BE(0x1234, 6)

      assert.equal(~sum(covered) & 0xffff, checksum)
    }
  })
})

describe('malformed', () => {
  const good = superFrame({ payload, segmentBytes })
  const withBytes = (at: number, ...bytes: readonly number[]) => {
    const frame = Buffer.from(good)
    frame.set(bytes, at)
    return frame
  }
  for (const [what, frame] of [
    ['a header that is not whole', good.subarray(0, 9)],
    ['segments of no bytes', withBytes(4, 0, 0)],
    ['more segments than TCP makes', withBytes(4, 1, 0)],
    ['a checksum that begins beyond the frame', withBytes(6, 0xff, 0xff)],
    ['a checksum that lies half beyond the frame', Buffer.concat([vnetHeader(1, 0, [0, 0, 40, 19]), Buffer.alloc(60)])],
    ['an unknown segmentation', withBytes(1, 3)],
    ['segmentation without a partial checksum', withBytes(0, 0)],
    ['segmentation of IPv6 in IPv4', withBytes(1, 4)],
    ['segmentation of UDP in TCP', withBytes(1, 5)],
    ['an IP header that is too short', withBytes(10 + 14, 0x44)],
    ['an IP header of another version', withBytes(10 + 14, 0x65)],
    ['an IP packet that is not whole', withBytes(10 + 14 + 6, 0x20)],
    ['a TCP header that is too short', withBytes(10 + 34 + 12, 0x40)],
    ['a frame that ends within the TCP header', good.subarray(0, 10 + 34 + 19)],
    ['no payload', good.subarray(0, 10 + 54)],
    ['a frame that ends within Ethernet', good.subarray(0, 20)],
    ['three VLAN tags', superFrame({ payload, segmentBytes, tags: [0x88a8, 0x8100, 0x8100] })],
    [
      'extension headers without end',
      superFrame({ ip: 6, ipOptions: 2048, payload, segmentBytes }).fill(0, 10 + 54, 90),
    ],
  ] as const) {
    it(`is ${what}`, () => {
      assert.equal(cut(Buffer.from(frame)), undefined)
    })
  }

  it('is a frame that fills the whole read, as it may have been cut', () => {
    const frame = new SuperFrame()
    frame.filled(frame.readBytes)

    assert.equal(frame.survey(), false)
  })
})

describe('whatever a namespace sends', () => {
  /** Changes some bytes of a good frame, preferring headers, or makes all of it up; its length may be anything. */
  function anything(random: SeededRandom): Buffer {
    const [, parts] = random.pick(cases)
    const frame = superFrame({
      payload: payload.subarray(0, random.below(3000)),
      segmentBytes: random.below(2000),
      ...parts,
    })
    if (random.chance(0.1)) for (const index of frame.keys()) frame[index] = random.below(256)
    for (let change = random.below(6); change > 0; change -= 1) frame[random.below(90)] = random.below(256)
    if (random.chance(0.3)) frame[1] = random.pick([0, 1, 4, 5])
    return random.chance(0.3) ? frame.subarray(0, random.below(frame.length + 1)) : frame
  }

  it('is cut within bounds into what it was said to be, or dropped', () => {
    const frame = new SuperFrame()
    const random = new SeededRandom(1)
    let dropped = 0
    for (let turn = 0; turn < 30_000; turn += 1) {
      const read = anything(random)
      frame.memory.bytes.fill(0xee)
      read.copy(frame.memory.bytes, frame.readOffset)
      frame.filled(read.length)
      if (random.chance(0.2)) frame.insertTag(random.below(65_536), random.below(65_536))
      const frames = cutRead(frame)
      if (frames === undefined) dropped += 1
      else if (frame.largestFrameBytes <= 9216) assert.equal(Buffer.concat(frames).length, frame.wireBytes)
    }
    assert.ok(dropped > 5000 && dropped < 25_000, `${dropped} dropped`)
  })
})

describe('a checksum', () => {
  it('is that of RFC 1071 for every beginning and length', () => {
    const memory = new Region(66_000)
    randomBytes(66_000).copy(memory.bytes)
    for (let from = 0; from < 9; from += 1) {
      for (const length of [0, 1, 2, 3, 4, 5, 7, 8, 63, 1460, 65_535]) {
        assert.equal(sumOf(memory, from, from + length), sum(memory.bytes.subarray(from, from + length)))
      }
    }
  })
})
