import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createFileRepository, syncToEnd } from '../support/content.ts'
import { FileUpstream } from '../support/file-upstream.ts'
import type { Json } from '../support/json.ts'
import { SeededRandom } from '../support/seeded-random.ts'
import { openSharedGround, type ServerProcess, type SharedGround } from '../support/server-process.ts'
import { form, multipart, repositories, served } from '../support/uploads.ts'
import { waitUntil } from '../support/wait-until.ts'

const rounds = 8
/** Few and shared by all repositories: what one gives back is just what another is about to use. */
const texts = Array.from({ length: 12 }, (_, index) => `bytes ${index} `.repeat(500 * (index + 1)))

describe('two processes of which each gives bytes back while the other takes them', () => {
  let ground: SharedGround
  let upstream: FileUpstream
  let both: readonly [ServerProcess, ServerProcess]
  before(async () => {
    ground = await openSharedGround()
    upstream = await FileUpstream.start()
    both = await Promise.all([ground.start('api,content,worker'), ground.start('api,content,worker')])
  })
  after(async () => {
    await ground[Symbol.asyncDispose]()
    await upstream[Symbol.asyncDispose]()
  })

  async function upload(server: ServerProcess, { id }: Json, files: Readonly<Record<string, string>>): Promise<void> {
    const body = form(Object.entries(files).map(([name, text]) => ['content', text, name] as const))
    const path = `${repositories}/${id}/upload_content`
    const sent = await server.ask(path, { method: 'POST', body, headers: multipart })
    assert.equal(sent.status, 200, JSON.stringify(sent.body))
  }

  async function remove(server: ServerProcess, { id }: Json): Promise<void> {
    const { status, body } = await server.ask(`${repositories}/${id}`, { method: 'DELETE' })
    assert.ok(status < 300, JSON.stringify(body))
  }

  it('never lose a byte of what is published', async (t) => {
    const seed = Date.now() % 1_000_000
    t.diagnostic(`seed ${seed}`)
    const random = new SeededRandom(seed)
    const chooseFiles = () => {
      const indexes = Array.from({ length: 4 }, () => Math.floor(random.next() * texts.length))
      return Object.fromEntries(indexes.map((index) => [`f${index}`, texts[index] ?? '']))
    }
    const kept: { readonly repository: Json; readonly files: Readonly<Record<string, string>> }[] = []
    let folders = 0
    const newUpstream = (files: Readonly<Record<string, string>>) => {
      folders += 1
      return upstream.publish(`folder-${folders}`, files)
    }
    const ways: readonly ((server: ServerProcess) => Promise<void>)[] = [
      async (server) => {
        const files = chooseFiles()
        const repository = await createFileRepository(server, newUpstream({}))
        await upload(server, repository, files)
        kept.push({ repository, files })
      },
      async (server) => {
        const files = chooseFiles()
        const repository = await createFileRepository(server, newUpstream(files))
        assert.equal((await syncToEnd(server, repository.id)).result, 'success')
        kept.push({ repository, files })
      },
      async (server) => {
        const files = chooseFiles()
        const repository = await createFileRepository(server, newUpstream(files), { download_policy: 'on_demand' })
        assert.equal((await syncToEnd(server, repository.id)).result, 'success')
        for (const [name, text] of Object.entries(files))
          assert.equal(String(await served(server, repository, name)), text)
        kept.push({ repository, files })
      },
      async (server) => {
        const repository = await createFileRepository(server, newUpstream({}))
        await upload(server, repository, chooseFiles())
        await remove(server, repository)
        // everything may go now and then, or soon nothing is given back any more
        for (const { repository: old } of kept.splice(0, Math.floor(random.next() * 4))) await remove(server, old)
      },
    ]

    await Promise.all(
      both.flatMap((server) =>
        ways.map(async (way) => {
          for (let round = 0; round < rounds; round += 1) await way(server)
        }),
      ),
    )

    const { pool } = ground.database.database
    await waitUntil('all tasks have ended', async () => {
      const { rowCount } = await pool.query(`select from tasks where state <> 'stopped'`)
      return rowCount === 0
    })
    const { rows: failed } = await pool.query(
      `select kind, errors from tasks where result not in ('success', 'cancelled')`,
    )
    assert.deepEqual(failed, [])
    const { rows: freed } = await pool.query(
      `select sum((output ->> 'freed_files')::int)::int as files from tasks where kind = 'content.reclaim'`,
    )
    assert.ok(freed[0].files > 0)
    for (const { repository, files } of kept) {
      for (const [name, text] of Object.entries(files)) {
        for (const server of both) assert.equal(String(await served(server, repository, name)), text, name)
      }
    }
  })
})
