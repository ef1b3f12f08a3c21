import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { openSharedGround } from '../support/server-process.ts'
import { ask } from '../support/test-server.ts'

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

describe('a database that another version made', () => {
  it('is refused with words when it has a migration that is not known', async () => {
    await using ground = await openSharedGround()
    await ground.database.database.pool.query(
      `insert into migrations (set_name, number, name, digest) values ('platform', 9999, '9999-later', 'x')`,
    )

    const { code, complaints } = await ground.startInVain('api,content,worker')

    assert.equal(code, 1)
    assert.match(complaints, /its migration platform\/9999 is unknown, a newer Backhaul made it/)
  })

  it('is refused with words when a migration was another one', async () => {
    await using ground = await openSharedGround()
    await ground.database.database.pool.query(`update migrations set digest = 'x' where set_name = 'platform'`)

    const { code, complaints } = await ground.startInVain('worker')

    assert.equal(code, 1)
    assert.match(complaints, /migration platform\/\d+ is not the one that was applied/)
  })
})
