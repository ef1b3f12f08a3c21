import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { seededRandom } from '../../filters/index.ts'
import { type Timed, Timetable } from './timetable.ts'

const item = (): Timed => ({ place: -1, plannedMs: Infinity })

/** Takes all out, earliest first. */
function drain(timetable: Timetable<Timed>): number[] {
  const times: number[] = []
  for (let { first } = timetable; first !== undefined; first = timetable.first) {
    times.push(timetable.firstMs)
    timetable.plan(first, Infinity)
  }
  return times
}

describe('Timetable', () => {
  it('is empty at first', () => {
    const timetable = new Timetable()

    assert.equal(timetable.first, undefined)
    assert.equal(timetable.firstMs, Infinity)
  })

  it('tells who is first, whatever is planned anew or taken out', () => {
    const timetable = new Timetable()
    const random = seededRandom(1)
    const items = Array.from({ length: 200 }, item)

    for (let turn = 0; turn < 5000; turn += 1) {
      const chosen = items[Math.floor(random() * items.length)] ?? item()
      timetable.plan(chosen, random() < 0.3 ? Infinity : Math.floor(random() * 100))
      assert.equal(timetable.firstMs, Math.min(...items.map(({ plannedMs }) => plannedMs)))
      assert.equal(timetable.first?.plannedMs ?? Infinity, timetable.firstMs)
    }

    const planned = items.map(({ plannedMs }) => plannedMs).filter((timeMs) => timeMs < Infinity)
    assert.deepEqual(
      drain(timetable),
      planned.sort((a, b) => a - b),
    )
    assert.ok(items.every(({ place }) => place === -1))
  })
})
