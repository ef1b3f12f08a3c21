import { SeededRandom } from '../../../test/support/seeded-random.ts'
import { loadLibc } from '../../platform/native/libc.ts'
import { openPacketSocket } from './native/packet-socket.ts'
import { superFrame } from './thread/test-super-frame.ts'

/** Sends super-frames with changed bytes out of `eth0`, and prints how many the kernel took. */
const libc = loadLibc()
const fd = openPacketSocket(libc, 'eth0')
const random = new SeededRandom(7)
const payload = Buffer.alloc(60_000, 'payload')
let taken = 0
for (let turn = 0; turn < 20_000; turn += 1) {
  const frame = superFrame({
    payload: payload.subarray(0, random.below(random.pick([100, 3000, 60_000]))),
    segmentBytes: random.below(1500),
    ip: random.pick([4, 6]),
    transport: random.pick(['tcp', 'udp']),
    tags: random.pick([[], [0x8100]]),
  })
  for (let change = random.below(4); change > 0; change -= 1) frame[random.below(90)] = random.below(256)
  if (libc.write(fd, frame, frame.length) > 0) taken += 1
}
process.stdout.write(String(taken))
