import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import koffi from 'koffi'
import { bpf, bpfKind } from './bpf.ts'
import { BpfMachine } from './bpf-machine.ts'
import { findForeignName } from './bpf-names.ts'
import { parseFilters } from './index.ts'
import { loadLibpcap } from './libpcap.ts'
import { seededRandom } from './random.ts'

const compile = loadLibpcap()
const skip = compile === undefined ? 'needs libpcap0.8' : false

const expressions = [
  'icmp',
  'arp or rarp',
  'ip and not tcp',
  'tcp port 80',
  'udp portrange 1000-2000',
  'host 10.0.0.1',
  'src net 10.0.0.0/8 and dst host 192.168.1.1',
  'ip6 and udp port 53',
  'ether host 02:00:00:00:00:01',
  'ether multicast or ether broadcast',
  'vlan 10 and tcp',
  'mpls and ip',
  'len > 100',
  'less 64',
  'greater 1000',
  'tcp[tcpflags] & (tcp-syn|tcp-fin) != 0',
  'ip[ip[0] & 0xf:2] / (ip[5] + 1) > 3',
  'ip[2:2] % 7 = 3',
  'ether[12:2] ^ 0x0800 = 0 and ip[8] << 2 > 64',
  'ip[8] * ip[9] - ip[0] > 100',
  'udp[0:4] | ip[4:4] != 0 and -ip[1] < 5',
  'icmp[icmptype] = icmp-echo',
  'ip proto 47 or ip proto 17',
  'ether[100] = 1 or ether[2000:4] = 0',
  'tcp src port 1 or tcp dst port 2 or sctp port 3',
]

describe('BpfMachine', { skip }, () => {
  for (const expression of expressions) {
    it(`decides as libpcap does: ${expression}`, () => {
      const random = seededRandom(expression.length, 7)
      using oracle = openOracle(expression)
      const machine = new BpfMachine(compile?.(expression) ?? [])
      const padded = Buffer.alloc(3000, 0xee)

      let matched = 0
      for (let count = 0; count < 3000; count += 1) {
        const frame = randomFrame(random)
        frame.copy(padded, 100)
        const isMatch = machine.matches(padded, 100, frame.length)
        assert.equal(isMatch, oracle.matches(frame), frame.toString('hex'))
        matched += Number(isMatch)
      }

      assert.ok(matched < 3000)
    })
  }

  for (const [what, program] of [
    ['nothing', []],
    ['half an instruction', [6, 0]],
    ['no end', [0, 0, 0, 1]],
    ['an unknown instruction', [0xff, 0, 0, 0, 6, 0, 0, 0]],
    ['a jump beyond its end', [0x15, 5, 0, 0, 6, 0, 0, 0]],
    ['a jump backward', [0x05, 0, 0, 0xffff_ffff, 6, 0, 0, 0]],
    ['memory that is not there', [0x02, 0, 0, 16, 6, 0, 0, 0]],
    ['facts of an interface', [0x30, 0, 0, 0xffff_f004, 6, 0, 0, 0]],
  ] as const) {
    it(`refuses a program with ${what}`, () => {
      assert.throws(() => new BpfMachine(program), Error)
    })
  }

  it('takes a division by a zero in the frame for no match', () => {
    const machine = new BpfMachine([0x01, 0, 0, 0, 0x3c, 0, 0, 0, 6, 0, 0, 1])

    assert.equal(machine.matches(Buffer.alloc(60), 0, 60), false)
  })
})

describe('bpf', { skip }, () => {
  it('drops what matches any line and passes the rest', () => {
    const filter = bpf.create(bpf.prepare(['arp\n\n  udp port 53 ']), Math.random)
    const frame = Buffer.alloc(60)

    frame.writeUInt16BE(0x0806, 12)
    assert.equal(filter.judge?.(frame, 0, 60), 0)
    frame.set([0x08, 0x00, 0x45], 12)
    frame[23] = 17
    frame.writeUInt16BE(53, 36)
    assert.equal(filter.judge?.(frame, 0, 60), 0)
    frame.writeUInt16BE(54, 36)
    assert.equal(filter.judge?.(frame, 0, 60), 1)
  })

  it('is kept as it was written, without blanks around it', () => {
    assert.deepEqual(parseFilters({ bpf: ['icmp\n tcp port 80 \n\n'] }), { bpf: ['icmp\n tcp port 80'] })
    assert.deepEqual(parseFilters({ bpf: ['\n '] }), {})
  })

  for (const [text, message] of [
    ['tcp porrt 80', /"bpf" is not usable: "porrt" in "tcp porrt 80" is no keyword/],
    ['tcp port', /"bpf" is not usable: "tcp port": .*syntax error/],
    ['icmp\nudp and (', /"udp and \(": /],
    ['host www.example.com', /"www\.example\.com" .*names are not looked up/],
    ['ip6 protochain 6', /needs a loop/],
    ['inbound', /network interface/],
    [`port ${'1 or port '.repeat(100)}1`, /longer than 512/],
    ['icmp\n'.repeat(1000), /longer than 4096/],
    ['tcp"', /tcp"/],
  ] as const) {
    it(`refuses ${JSON.stringify(text.slice(0, 40))} and says why`, () => {
      assert.throws(() => parseFilters({ bpf: [text] }), { code: 'invalid', message })
    })
  }

  for (const values of [[5], [null], ['icmp', 'EN10MB']]) {
    it(`refuses ${JSON.stringify(values)}`, () => {
      assert.throws(() => parseFilters({ bpf: values }), { code: 'invalid' })
    })
  }
})

describe('bpf without libpcap', () => {
  it('is missing and names the package', () => {
    const kind = bpfKind(() => undefined)

    assert.match(kind.missing?.() ?? '', /libpcap0\.8/)
    assert.throws(() => kind.prepare(['icmp']), /libpcap is missing/)
    assert.throws(() => parseFilters({ bpf: ['icmp'] }, [kind]), {
      code: 'conflict',
      message: 'Cannot use filter "bpf": it needs libpcap (on Debian the package libpcap0.8)',
    })
    assert.deepEqual(parseFilters({ bpf: [''] }, [kind]), {})
  })
})

describe('findForeignName', () => {
  for (const expression of [
    ...expressions,
    'port http or https',
    'ip proto \\tcp',
    'ether host aa:bb:cc:dd:ee:ff or ether src aabb.ccdd.eeff or ether dst aa-bb-cc-dd-ee-ff',
    'host fe80::1 or net 2001:db8::/32 or net 10/8',
    'ether[0x0c:2]=0x800&&ip[0]>0x45',
  ]) {
    it(`finds none in ${expression}`, () => {
      assert.equal(findForeignName(expression), undefined)
    })
  }

  for (const [expression, name] of [
    ['host example.com', 'example.com'],
    ['port 80 and src example', 'example'],
    ['dead.beef.example', 'dead.beef.example'],
    ['net intranet or port http', 'intranet'],
    ['icmp or 1.example.com', '1.example.com'],
  ] as const) {
    it(`finds ${name} in ${expression}`, () => {
      assert.equal(findForeignName(expression), name)
    })
  }
})

interface Oracle extends Disposable {
  matches(frame: Buffer): boolean
}

/** libpcap's own interpreter (pcap_offline_filter(3PCAP)). */
function openOracle(expression: string): Oracle {
  const library = koffi.load('libpcap.so.0.8')
  const handle = library.func('void *pcap_open_dead(int, int)')(1, 65_535)
  const program = Buffer.alloc(16)
  library.func('int pcap_compile(void *, void *, str, int, unsigned int)')(handle, program, expression, 1, 0xffff_ffff)
  const filter = library.func('int pcap_offline_filter(void *, void *, void *)')
  const header = Buffer.alloc(24)
  return {
    matches(frame) {
      header.writeUInt32LE(frame.length, 16)
      header.writeUInt32LE(frame.length, 20)
      return filter(program, header, frame) !== 0
    },
    [Symbol.dispose]() {
      library.func('void pcap_freecode(void *)')(program)
      library.func('void pcap_close(void *)')(handle)
    },
  }
}

/** Random bytes that often look like the frames that expressions ask for. */
function randomFrame(random: () => number): Buffer {
  const pick = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T
  const frame = Buffer.from(
    Array.from({ length: pick([0, 13, 14, 20, 34, 42, 60, 60, 60, 120, 1200]) }, () => random() * 256),
  )
  const put = (at: number, ...bytes: number[]) =>
    frame.set(bytes.slice(0, Math.max(0, frame.length - at)), Math.min(at, frame.length))
  put(
    12,
    ...pick([
      [8, 0],
      [8, 0],
      [8, 0],
      [8, 6],
      [0x86, 0xdd],
      [0x81, 0, 0, 10, 8, 0],
      [0x88, 0x47],
    ]),
  )
  if (random() < 0.8) put(14, pick([0x45, 0x45, 0x46, 0x60]))
  if (random() < 0.8) put(20, 0, 0)
  if (random() < 0.8) put(23, pick([1, 6, 17, 47, 132]))
  if (random() < 0.5) put(26, 10, 0, 0, 1, 192, 168, 1, 1)
  if (random() < 0.5) put(34, 0, pick([1, 53, 80]), 0, pick([2, 53, 80]))
  if (random() < 0.2)
    put(
      0,
      ...pick([
        [255, 255, 255, 255, 255, 255],
        [2, 0, 0, 0, 0, 1],
      ]),
    )
  return frame
}
