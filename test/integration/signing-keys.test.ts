import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Kysely } from 'kysely'
import { makeKey } from '../../src/content/signing/make-key.ts'
import { OrganizationSigner } from '../../src/content/signing/organization-signer.ts'
import type { ContentTables } from '../../src/content/tables.ts'
import { SecretBox } from '../../src/platform/auth/secret-box.ts'
import { messageIn } from '../support/error-answers.ts'
import { Gpg, lacksGpg } from '../support/gpg.ts'
import { createMembers, loginOf } from '../support/members.ts'
import { lacksProgram } from '../support/programs.ts'
import { run } from '../support/run.ts'
import { openSharedGround } from '../support/server-process.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { waitUntil } from '../support/wait-until.ts'

const organizations = '/content/api/organizations'

let server: TestServer
let signer: OrganizationSigner
let gpg: Gpg
before(async () => {
  server = await startTestServer()
  await createMembers(server)
  const db: Kysely<ContentTables> = server.database.database.tables()
  signer = new OrganizationSigner({ db, secrets: new SecretBox('a secret of the test'), now: () => Date.now() })
  gpg = await Gpg.open()
})
after(async () => {
  await gpg[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

async function createOrganization(name: string): Promise<number> {
  return (await server.ask(organizations, { method: 'POST', body: { name } })).body.id
}

const textOf = async (id: number, as?: string) =>
  server.ask(`${organizations}/${id}/signing_key`, as === undefined ? {} : { as })
const rotate = (id: number, body: object = {}, as?: string) =>
  server.ask(`${organizations}/${id}/signing_key`, { method: 'POST', body, ...(as === undefined ? {} : { as }) })
const listKeys = async (id: number) => (await server.ask(`${organizations}/${id}/signing_keys`)).body

describe('the signing key of an organization', () => {
  it('is made when it is first asked for, and stays the same', async () => {
    const id = await createOrganization('Fresh')
    assert.deepEqual(await listKeys(id), [])

    const first = await textOf(id)
    const second = await textOf(id)

    assert.equal(first.status, 200)
    assert.equal(first.headers.get('content-type'), 'text/plain; charset=utf-8')
    assert.match(first.body, /^-----BEGIN PGP PUBLIC KEY BLOCK-----\n/)
    assert.equal(second.body, first.body)
    const [key, ...others] = await listKeys(id)
    assert.deepEqual([key.algorithm, key.retired_at, others], ['ed25519', null, []])
    assert.match(key.fingerprint, /^[0-9A-F]{40}$/)
  })

  it('is shown to members, replaced by managers, and not there for others', async () => {
    for (const [member, shown, replaced] of [
      ['viewer', 200, 403],
      ['editor', 200, 403],
      ['manager', 200, 201],
      ['stranger', 404, 404],
    ] as const) {
      assert.equal((await textOf(1, loginOf(member))).status, shown)
      assert.equal((await rotate(1, {}, loginOf(member))).status, replaced)
      const [key] = await listKeys(1)
      const path = `${organizations}/1/signing_keys/${key.id}`
      const removed = await server.ask(path, { method: 'DELETE', as: loginOf(member) })
      assert.equal(removed.status, replaced === 201 ? 409 : replaced)
    }
    messageIn(await textOf(9_999_999), organizations, 404)
    messageIn(await rotate(9_999_999), organizations, 404)
  })

  it('is replaced by one of the wanted algorithm, and the old one is told until it is removed', async () => {
    const id = await createOrganization('Rotating')
    await textOf(id)
    const [old] = await listKeys(id)

    const made = await rotate(id, { algorithm: 'rsa3072' })
    assert.deepEqual([made.status, made.body.algorithm, made.body.retired_at], [201, 'rsa3072', null])
    const [current, retired] = await listKeys(id)
    assert.deepEqual(current, made.body)
    assert.equal(retired.id, old.id)
    assert.match(retired.retired_at, / UTC$/)
    messageIn(await rotate(id, { algorithm: 'md5' }), organizations, 422)

    const path = (key: { id: number }) => `${organizations}/${id}/signing_keys/${key.id}`
    assert.equal((await textOf(id)).body.match(/-----BEGIN/g)?.length, 1)
    messageIn(await server.ask(path(current), { method: 'DELETE' }), organizations, 409)
    assert.equal((await server.ask(path(retired), { method: 'DELETE' })).status, 200)
    messageIn(await server.ask(path(retired), { method: 'DELETE' }), organizations, 404)
    assert.deepEqual(await listKeys(id), [current])
  })

  it('keeps its algorithm when it is replaced without a word about it', async () => {
    const id = await createOrganization('Keeping')
    await rotate(id, { algorithm: 'rsa3072' })

    assert.equal((await rotate(id)).body.algorithm, 'rsa3072')
  })

  it('is one, however many rotate at the same time', async () => {
    const id = await createOrganization('Busy')

    const answers = await Promise.all(Array.from({ length: 8 }, () => rotate(id)))

    assert.ok(answers.every(({ status }) => status === 201))
    const keys = await listKeys(id)
    assert.equal(keys.length, 8)
    assert.equal(keys.filter((key: { retired_at: string | null }) => key.retired_at === null).length, 1)
  })

  it('is the one that somebody else makes at the same moment by replacing it', async () => {
    const id = await createOrganization('Racing')
    const { publicKey } = await makeKey('ed25519', { owner: 'Racing', createdAt: new Date() })
    const { pool } = server.database.database
    const other = await pool.connect()
    try {
      await other.query('begin')
      await other.query('select from organizations where id = $1 for update', [id])
      const asked = signer.publicKeyOf(id)
      await waitUntil('the asker waits', async () => {
        const sql = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
        return (await pool.query(sql)).rows.length > 0
      })
      const row = [id, 'ed25519', 'F'.repeat(40), Buffer.from(publicKey), 'v1:']
      const columns = 'organization_id, algorithm, fingerprint, public_key, private_key_sealed'
      await other.query(`insert into signing_keys (${columns}) values ($1, $2, $3, $4, $5)`, row)
      await other.query('commit')

      await asked
    } finally {
      other.release()
    }
    assert.deepEqual(
      (await listKeys(id)).map((key: { fingerprint: string }) => key.fingerprint),
      ['F'.repeat(40)],
    )
  })

  it('goes with its organization', async () => {
    const id = await createOrganization('Short-lived')
    await textOf(id)
    const { pool } = server.database.database

    await pool.query('delete from organizations where id = $1', [id])

    const { rows } = await pool.query('select from signing_keys where organization_id = $1', [id])
    assert.equal(rows.length, 0)
    await assert.rejects(signer.publicKeyOf(id), { code: 'not_found' })
  })

  it('is sealed in the database, and forgotten when it no longer signs', async () => {
    const id = await createOrganization('Sealed')
    await signer.signDetached(id, Buffer.from('x'))
    await signer.rotate(id, undefined)

    const { rows } = await server.database.database.pool.query(
      'select private_key_sealed from signing_keys where organization_id = $1 order by id',
      [id],
    )
    assert.equal(rows[0].private_key_sealed, null)
    assert.match(rows[1].private_key_sealed, /^v1:/)
  })

  it('is one when two processes need it at the same moment', async () => {
    await using ground = await openSharedGround()
    const processes = await Promise.all([ground.start('api'), ground.start('api')])

    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => processes[n % 2]?.ask(`${organizations}/1/signing_key`)),
    )

    assert.equal(new Set(answers.map((answer) => answer?.body)).size, 1)
    const { rows } = await ground.database.database.pool.query('select id from signing_keys')
    assert.equal(rows.length, 1)
  })
})

describe('what an organization signs', { skip: lacksGpg }, () => {
  const bytes = Buffer.from('<?xml version="1.0"?>\n<repomd/>\n')

  for (const algorithm of ['ed25519', 'rsa3072', 'rsa4096'] as const) {
    it(`is taken by gpgv with its public key (${algorithm})`, async () => {
      const id = await createOrganization(`Signer ${algorithm}`)
      await signer.rotate(id, algorithm)
      const key = await signer.publicKeyOf(id)

      const good = await gpg.check(bytes, await signer.signDetached(id, bytes), key)
      const bad = await gpg.check(Buffer.from('other'), await signer.signDetached(id, bytes), key)

      assert.equal(good.code, 0, good.stderr)
      assert.match(good.stderr, new RegExp(`Good signature from "Signer ${algorithm} \\(Backhaul\\)"`))
      assert.notEqual(bad.code, 0)
    })
  }

  it('is taken by gpg with the text around it', async () => {
    const id = await createOrganization('Clear')
    const text = 'Origin: Backhaul\n- dash\nDescription: ä \n'
    const signed = await signer.signClear(id, text)
    await gpg.output(['--import'], await signer.publicKeyOf(id))

    const { code, stdout, stderr } = await gpg.run(['--decrypt'], signed)

    assert.equal(code, 0, stderr)
    assert.match(stderr, /Good signature/)
    assert.equal(stdout, 'Origin: Backhaul\n- dash\nDescription: ä\n')
    assert.doesNotMatch(signed, /\r|\n\n-----BEGIN PGP SIGNATURE/)
  })

  it('before and after a rotation is taken with one and the same key text', async () => {
    const id = await createOrganization('Both')
    const before = await signer.signDetached(id, bytes)
    await signer.rotate(id, 'rsa3072')
    const after = await signer.signDetached(id, bytes)

    const key = await signer.publicKeyOf(id)

    for (const signature of [before, after]) assert.equal((await gpg.check(bytes, signature, key)).code, 0)
    const { stdout } = await gpg.run(['--show-keys', '--with-colons'], key)
    assert.equal(stdout.match(/^pub:/gm)?.length, 2)
    assert.doesNotMatch(stdout, /^sub:/m)
  })

  it('is taken by clients whose clocks are hours behind', async () => {
    const id = await createOrganization('Lagging')
    await signer.signDetached(id, bytes)
    const { stdout } = await gpg.run(['--show-keys', '--with-colons'], await signer.publicKeyOf(id))
    const created = Number(/^pub:(?:[^:]*:){4}(\d+):/m.exec(stdout)?.[1])

    assert.ok(created < Date.now() / 1000 - 20 * 3600)
  })

  it('names an organization with odd characters on one line', async () => {
    const id = await createOrganization('A <b@c> (d)\u202e "e" ü')
    const { stdout } = await gpg.run(['--show-keys'], await signer.publicKeyOf(id))

    assert.match(stdout, /uid +A b@c d "e" ü \(Backhaul\)/)
  })

  it('has keys that rpm imports, all of them', { skip: lacksProgram('rpmkeys') }, async () => {
    const id = await createOrganization('Rpm')
    for (const algorithm of ['ed25519', 'rsa3072'] as const) await signer.rotate(id, algorithm)
    const root = join(server.folder, 'rpm')
    await mkdir(root)
    const rpm = (program: string, ...args: string[]) =>
      run(program, ['--dbpath', root, ...args], { env: { HOME: root }, input: '' })
    const file = join(root, 'key.asc')
    await writeFile(file, await signer.publicKeyOf(id))

    const imported = await rpm('rpmkeys', '--import', file)
    const { stdout } = await rpm('rpm', '-qa', 'gpg-pubkey*', '--qf', '%{VERSION} %{SUMMARY}\n')

    assert.equal(imported.code, 0, imported.stderr)
    const ids = (await listKeys(id)).map((key: { fingerprint: string }) => key.fingerprint.slice(-8).toLowerCase())
    for (const each of ids) assert.match(stdout, new RegExp(each))
  })
})
