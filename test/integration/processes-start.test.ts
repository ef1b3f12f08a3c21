import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { createFileRepository } from '../support/content.ts'
import { openSharedGround } from '../support/server-process.ts'
import { adminPassword, ask } from '../support/test-server.ts'
import { form, multipart, repositories, served } from '../support/uploads.ts'
import { waitUntil } from '../support/wait-until.ts'

describe('processes that start at the same moment', () => {
  it('make an empty database ready once, with one key, one administrator and one organization', async () => {
    await using ground = await openSharedGround('bare')
    const { pool } = ground.database.database

    const roles = ['api,content,worker', 'api,content,worker', 'api,worker', 'content']
    const processes = await Promise.all(roles.map((each) => ground.start(each, { BACKHAUL_ADMIN_PASSWORD: undefined })))

    const password = (await readFile(join(ground.folder, 'data', 'admin-password'), 'utf8')).trim()
    for (const { api } of processes.filter(({ api }) => api !== '')) {
      assert.equal((await fetch(`${api}/readyz`)).status, 200)
      const { status, body } = await ask(new URL('/content/api/organizations', api), { as: `admin:${password}` })
      assert.deepEqual([status, body.total], [200, 1])
    }
    const { rows: users } = await pool.query('select login from users')
    assert.deepEqual(users, [{ login: 'admin' }])
    const { rows: twice } = await pool.query(
      'select set_name, number from migrations group by 1, 2 having count(*) > 1 or count(distinct digest) > 1',
    )
    assert.deepEqual(twice, [])
  })
})

describe('a process that starts beside another', () => {
  it('leaves the bytes alone that are just coming in there', async () => {
    await using ground = await openSharedGround()
    await using server = await ground.start('api,content,worker')
    const repository = await createFileRepository(server, 'http://127.0.0.1:9/')
    const bytes = Buffer.alloc(400_000, 'incoming')
    const body = form([['content', bytes, 'file']])
    const sending = request(new URL(`${repositories}/${repository.id}/upload_content`, server.api), {
      method: 'POST',
      headers: { ...multipart, 'content-length': body.length },
      auth: `admin:${adminPassword}`,
    })
    sending.write(body.subarray(0, 200_000))
    const incoming = join(ground.folder, 'data', 'blobs', 'tmp')
    await waitUntil('bytes come in', async () => (await readdir(incoming)).length === 1)

    await using other = await ground.start('api,content,worker')
    assert.equal((await readdir(incoming)).length, 1)
    sending.end(body.subarray(200_000))
    const [{ statusCode }] = await once(sending, 'response')

    assert.equal(statusCode, 200)
    assert.deepEqual(await served(other, repository, 'file'), bytes)
    assert.deepEqual(await readdir(incoming), [])
  })
})

describe('a database that another version made', () => {
  it('is refused with words when it has a migration that is not known, or one that was another then', async () => {
    await using ground = await openSharedGround()
    const { pool } = ground.database.database
    await pool.query(
      `insert into migrations (set_name, number, name, digest) values ('platform', 9999, '9999-later', 'x')`,
    )
    const newer = await ground.startInVain('api,content,worker')
    await pool.query('delete from migrations where number = 9999')
    await pool.query(`update migrations set digest = 'x' where set_name = 'platform'`)
    const edited = await ground.startInVain('worker')

    assert.deepEqual([newer.code, edited.code], [1, 1])
    assert.match(newer.complaints, /its migration platform\/9999 is unknown, a newer Backhaul made it/)
    assert.match(edited.complaints, /migration platform\/\d+ is not the one that was applied/)
  })
})
