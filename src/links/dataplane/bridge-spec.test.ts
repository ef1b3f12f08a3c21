import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { checkBridge } from './bridge-spec.ts'
import { switchOf, switchPort } from './test-bridge.ts'

describe('checkBridge', () => {
  it('takes switches and hubs', () => {
    checkBridge({ kind: 'hub', ports: [0, 1, 65_535] })
    checkBridge({ kind: 'hub', ports: [] })
    checkBridge(
      switchOf(switchPort(0), switchPort(1, 'dot1q', { vlan: 4094 }), switchPort(2, 'access', { ethertype: 0 })),
    )
    for (const ethertype of [0x8100, 0x88a8, 0x9100, 0x9200])
      checkBridge(switchOf(switchPort(0, 'qinq', { ethertype })))
  })

  for (const [what, spec] of Object.entries({
    'a number that occurs twice': { kind: 'hub', ports: [1, 1] },
    'a number out of range': { kind: 'hub', ports: [-1] },
    'a number that is not whole': switchOf(switchPort(1.5)),
    'VLAN 0': switchOf(switchPort(1, 'access', { vlan: 0 })),
    'VLAN 4095': switchOf(switchPort(1, 'dot1q', { vlan: 4095 })),
    'an unknown tag type': switchOf(switchPort(1, 'qinq', { ethertype: 0x0800 })),
    'no ageing time': { ...switchOf(), ageingMs: 0 },
  } as const)) {
    it(`refuses ${what}`, () => assert.throws(() => checkBridge(spec as never), { code: 'invalid' }))
  }
})
