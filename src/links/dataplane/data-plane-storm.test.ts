import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pino } from 'pino'
import { DataPlane } from './data-plane.ts'
import { broadcast, frameOf, switchOf, switchPort } from './test-bridge.ts'
import { udpPort } from './test-link.ts'
import { numberedFrame, numberOf, TestPeer, until } from './test-peer.ts'
import { joinBridges, open, TestStation } from './test-station.ts'

/** A plane of one thread in which frames multiply in loops between two switches. */
async function openStorm() {
  const plane = new DataPlane({ logger: pino({ level: 'silent' }), threads: 1 })
  const ports = [0, 1, 2, 3].map((number) => switchPort(number))
  for (const bridgeId of ['west', 'east']) await plane.openBridge(bridgeId, switchOf(...ports), 'group')
  const loops: string[] = []
  for (const port of [1, 2, 3]) loops.push(await joinBridges(plane, ['west', 'east'], port))

  await using station = await TestStation.open(plane, { bridgeId: 'west', port: 0 })
  await station.send(frameOf({ to: broadcast, from: 1 }))
  const dropped = async () => (await plane.statistics(loops[0] ?? '')).forward.dropped['queue_full'] ?? 0
  await until(async () => (await dropped()) > 0)
  await plane.closeLink(station.linkId)
  return { plane, loops, dropped }
}

describe('DataPlane in a broadcast storm', () => {
  it('gives all other links and calls their turn, and can stop it', async () => {
    const storm = await openStorm()
    await using plane = storm.plane
    await using first = await TestPeer.open()
    await using second = await TestPeer.open()
    await plane.openLink('other', open)
    const ports = [await plane.attachPort('other', 0, udpPort(first.port))]
    ports.push(await plane.attachPort('other', 1, udpPort(second.port)))
    const droppedBefore = await storm.dropped()

    for (let turn = 1; turn <= 100; turn += 1) {
      await first.send(numberedFrame(turn), ports[0]?.local?.port ?? 0)
      await second.received(turn)
      await second.send(numberedFrame(turn), ports[1]?.local?.port ?? 0)
      await first.received(turn)
      await plane.setFilters('other', { frequency_drop: [1000 + turn] })
    }

    assert.deepEqual(
      first.frames.map(numberOf),
      Array.from({ length: 100 }, (_, index) => index + 1),
    )
    assert.ok((await storm.dropped()) > droppedBefore, 'the storm was over')

    for (const linkId of storm.loops) await plane.setSuspended(linkId, true)
    const { forwarded, flooded } = await plane.bridgeStatistics('west')
    await plane.setFilters('other', {})
    assert.deepEqual(
      [(await plane.bridgeStatistics('west')).flooded, (await plane.bridgeStatistics('west')).forwarded],
      [flooded, forwarded],
    )
  })

  it('ends its process when it is told to', async () => {
    const { plane } = await openStorm()
    const { pid = 0 } = plane

    await plane[Symbol.asyncDispose]()

    assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' })
  })
})
