import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { before, describe, it } from 'node:test'
import { lacksVpcs } from '../support/lab.ts'
import { startTestServer } from '../support/test-server.ts'
import { linkDeviations } from './links-deviations.ts'
import { type Played, play, readTranscript } from './transcript.ts'

let played: readonly Played[] = []

describe('the link interface, asked as the original once was', { skip: lacksVpcs }, () => {
  before(async () => {
    await using server = await startTestServer()
    played = await play(server, readTranscript())
  })

  it('gives the recorded answers, but for what differs on purpose', () => {
    const unexpected = played.flatMap(({ step, status, body, differences }) => {
      const known = linkDeviations.filter(({ steps }) => steps.test(step.name))
      const places = differences.filter((place) => !known.some((each) => each.places.test(place)))
      const isWrongStatus =
        status !== step.status && !known.some((each) => each.places.test('status') && each.status === status)
      return places.length > 0 || isWrongStatus ? [{ name: step.name, status, places, body, recorded: step.body }] : []
    })

    assert.deepEqual(unexpected, [])
  })

  it('never fails for what a client sends', () => {
    assert.deepEqual(
      played.filter(({ status }) => status >= 500),
      [],
    )
  })

  it('has no deviation listed that is none, and each with its reason in the documentation', async () => {
    const documented = (await readFile('docs/differences.md', 'utf8')).replaceAll(/\s+/g, ' ')
    for (const { reason, steps, places } of linkDeviations) {
      const isUsed = played.some(
        ({ step, differences }) => steps.test(step.name) && differences.some((each) => places.test(each)),
      )
      assert.ok(isUsed, `${reason} ${steps}`)
      assert.ok(documented.includes(reason), `docs/differences.md does not say: ${reason}`)
    }
  })
})
