import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { taskEnd } from '../support/content.ts'
import type { Json } from '../support/json.ts'
import { ViewLab } from '../support/view-lab.ts'
import { waitUntil } from '../support/wait-until.ts'

let lab: ViewLab
before(async () => {
  lab = await ViewLab.start()
})
after(() => lab[Symbol.asyncDispose]())

/** Publishes a view, and does something else when all of the version is prepared and nothing of it written. */
async function publishMeanwhile(view: Json, work: () => Promise<unknown>): Promise<Json> {
  const { pool } = lab.server.database.database
  const client = await pool.connect()
  try {
    await client.query('begin; lock table content_view_versions in share mode')
    const path = `/content/api/content_views/${view.id}/publish`
    const { body } = await lab.server.ask(path, { method: 'POST', body: {} })
    await waitUntil('the version is about to be written', async () => {
      const waiting = "select 1 from pg_locks where relation = 'content_view_versions'::regclass and not granted"
      return (await pool.query(waiting)).rows.length > 0
    })
    await work()
    await client.query('rollback')
    return await taskEnd(lab.server, body.id)
  } finally {
    client.release()
  }
}

describe('a content view that is published', () => {
  it('is prepared anew when one of its repositories is deleted meanwhile', async () => {
    const stays = await lab.createRepository({ a: 'stays' })
    const goes = await lab.createRepository({ b: 'goes' })
    const view = await lab.createView({ repositories: [stays, goes] })

    const task = await publishMeanwhile(view, async () => {
      const { status } = await lab.server.ask(`/content/api/repositories/${goes.id}`, { method: 'DELETE' })
      assert.equal(status, 200)
    })

    assert.equal(task.result, 'success', JSON.stringify(task.humanized))
    const copies = await lab.list({ content_view_version_id: task.output.content_view_version_id, archived: true })
    assert.deepEqual(
      copies.map(({ library_instance_id: id }) => id),
      [stays.id],
    )
    assert.equal((await lab.show(`content_views/${view.id}`)).versions.length, 1)
  })
})
