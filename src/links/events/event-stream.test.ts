import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { MachineUsage } from '../../platform/machine-usage.ts'
import { EventBus } from './event-bus.ts'
import { eventStream } from './event-stream.ts'

function startStream(pingMs = 60_000) {
  const bus = new EventBus()
  const end = new AbortController()
  const stream = eventStream({ bus, topic: 'p', usage: new MachineUsage(), signal: end.signal, pingMs })
  const next = async () => JSON.parse((await stream.next()).value as string)
  return { bus, end, stream, next }
}

describe('a stream of events', () => {
  it('begins with a ping that says how busy the machine is', async () => {
    const { next, end } = startStream()
    const { action, event } = await next()
    end.abort()

    assert.equal(action, 'ping')
    assert.ok(event.cpu_usage_percent >= 0 && event.cpu_usage_percent <= 100)
    assert.ok(event.memory_usage_percent > 0 && event.memory_usage_percent <= 100)
  })

  it('gives events in the order in which they were published, also those from before it was read', async () => {
    const { bus, next, end } = startStream()
    for (const number of [1, 2, 3]) bus.publish('p', 'node.updated', { number })
    bus.publish('other', 'node.updated', { number: 4 })

    const events = [await next(), await next(), await next(), await next()]
    end.abort()

    assert.deepEqual(
      events.slice(1).map(({ event }) => event.number),
      [1, 2, 3],
    )
  })

  it('pings again after a silence', async () => {
    const { next, end } = startStream(5)
    const actions = [(await next()).action, (await next()).action]
    end.abort()

    assert.deepEqual(actions, ['ping', 'ping'])
  })

  it('ends when it is told to, while it waits', async () => {
    const { stream, end } = startStream()
    await stream.next()
    const waiting = stream.next()
    end.abort()

    assert.equal((await waiting).done, true)
  })

  it('ends for a listener that is far behind', async () => {
    const { bus, stream } = startStream()
    for (let number = 0; number <= 10_000; number += 1) bus.publish('p', 'node.updated', { number })

    assert.equal((await stream.next()).done, true)
  })
})
