import { Region } from '../../platform/native/region.ts'
import type { BridgeSpec, SwitchPort } from './bridge-spec.ts'
import { Bridge } from './thread/bridge/bridge.ts'
import { BridgedFrame } from './thread/bridge/bridged-frame.ts'
import { Outbox } from './thread/outbox.ts'

const addressBytes = 6
export const broadcast = 0xffffffffffff

export interface Tag {
  readonly type: number
  readonly vlan: number
  readonly priority?: number
}

export interface FrameParts {
  readonly to: number
  readonly from: number
  /** The outermost first. */
  readonly tags?: readonly Tag[]
  readonly text?: string
}

/** An Ethernet frame from the station `from` with a text as its payload. */
export function frameOf({ to, from, tags = [], text = '' }: FrameParts): Buffer {
  const addresses = Buffer.alloc(2 * addressBytes)
  addresses.writeUIntBE(to, 0, addressBytes)
  addresses.writeUIntBE(from, addressBytes, addressBytes)
  const written = tags.map(({ type, vlan, priority = 0 }) =>
    Buffer.from([type >> 8, type & 0xff, (priority << 5) | (vlan >> 8), vlan & 0xff]),
  )
  return Buffer.concat([addresses, ...written, Buffer.from([0x88, 0xb5]), Buffer.from(text)])
}

export function switchPort(
  number: number,
  type: SwitchPort['type'] = 'access',
  { vlan = 1, ethertype = 0x8100 }: Partial<SwitchPort> = {},
): SwitchPort {
  return { number, type, vlan, ethertype }
}

export function switchOf(...ports: readonly SwitchPort[]): Extract<BridgeSpec, { kind: 'switch' }> {
  return { kind: 'switch', ports }
}

/** A bridge without threads: its ports keep what they are given. */
export class TestBridge {
  readonly bridge: Bridge
  readonly received = new Map<number, Buffer[]>()
  nowMs = 1000
  readonly #frame = new BridgedFrame()

  constructor(spec: BridgeSpec) {
    this.bridge = new Bridge('bridge', spec)
    for (const port of spec.ports) this.attach(typeof port === 'number' ? port : port.number)
  }

  attach(number: number) {
    const outlet = {
      number,
      deliver: (frame: BridgedFrame) => {
        const bytes = frame.slots.bytes.subarray(frame.offsetOf(), frame.offsetOf() + frame.lengthOf())
        this.received.set(number, [...(this.received.get(number) ?? []), Buffer.from(bytes)])
      },
    }
    this.bridge.join(outlet)
    return outlet
  }

  /** Puts a frame in at a port. Gives the frames that came out by port, such as `{ 2: [frame] }`. */
  put(port: number, frame: Buffer): Record<number, Buffer[]> {
    this.received.clear()
    const region = new Region(frame.length + 32)
    frame.copy(region.bytes, 16)
    const outbox = new Outbox()
    outbox.add(region, 16, frame.length)
    this.#frame.ingress = port
    this.#frame.nowMs = this.nowMs
    this.#frame.load(outbox, 0)
    this.bridge.forward(this.#frame)
    return Object.fromEntries(this.received)
  }

  /** The ports where a frame comes out. */
  portsOf(port: number, frame: Buffer): number[] {
    return Object.keys(this.put(port, frame)).map(Number)
  }
}
