import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { OrganizationSigner } from '../../src/content/signing/organization-signer.ts'
import { verifyDetached } from '../../src/content/signing/verify-detached.ts'
import type { ContentTables } from '../../src/content/tables.ts'
import { SecretBox } from '../../src/platform/auth/secret-box.ts'
import { Dnf, lacksDnf } from '../support/dnf.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { lacksYumUpstream, startYumUpstream, type YumUpstream } from '../support/yum-upstream.ts'

const skip = lacksDnf || lacksYumUpstream

describe('the real dnf and the key of an organization', { skip }, () => {
  let server: TestServer
  let upstream: YumUpstream
  let signer: OrganizationSigner
  before(async () => {
    server = await startTestServer()
    upstream = await startYumUpstream()
    const db = server.database.database.tables<ContentTables>()
    signer = new OrganizationSigner({ db, secrets: new SecretBox('a secret of the test'), now: () => Date.now() })
  })
  after(async () => {
    await upstream?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  /** Signs the upstream's repository as the organization would. */
  async function signAs(organizationId: number): Promise<void> {
    const repomd = join(upstream.folder, 'gz/repodata/repomd.xml')
    await writeFile(`${repomd}.asc`, await signer.signDetached(organizationId, await readFile(repomd)))
  }

  async function saveKey(organizationId: number, name: string): Promise<string> {
    await writeFile(join(upstream.folder, name), await signer.publicKeyOf(organizationId))
    return `${upstream.nginx.url}${name}`
  }

  async function makecache(gpgkey: string) {
    await using dnf = await Dnf.open({ baseurl: upstream.url('gz'), repo_gpgcheck: true, gpgkey })
    return await dnf.run('makecache')
  }

  for (const algorithm of ['ed25519', 'rsa3072', 'rsa4096'] as const) {
    it(`get along with ${algorithm}`, async () => {
      const { body } = await server.ask('/content/api/organizations', { method: 'POST', body: { name: algorithm } })
      await signer.rotate(body.id, algorithm)
      await signAs(body.id)

      const { code, stderr } = await makecache(await saveKey(body.id, `${algorithm}.asc`))

      assert.equal(code, 0, stderr)
    })
  }

  it('get along with a text of several keys, whichever of them signed, but not with the old text alone', async () => {
    const old = await saveKey(1, 'old.asc')
    await signAs(1)
    await signer.rotate(1, 'rsa3072')
    const both = await saveKey(1, 'both.asc')

    assert.equal((await makecache(both)).code, 0)
    await signAs(1)
    assert.equal((await makecache(both)).code, 0)
    assert.notEqual((await makecache(old)).code, 0)
  })

  it('judge what a distribution signed in the same way', async () => {
    await upstream.sign('gz')
    const repomd = join(upstream.folder, 'gz/repodata/repomd.xml')
    const [bytes, signature, keys] = await Promise.all(
      [repomd, `${repomd}.asc`, `${repomd}.key`].map((path) => readFile(path)),
    )

    const judged = await verifyDetached(bytes as Buffer, signature as Buffer, { keys: keys as Buffer })

    assert.equal(judged.problem, undefined)
    assert.equal(judged.signedBy?.fingerprint, upstream.key)
    assert.equal((await makecache(upstream.keyUrl)).code, 0)
  })
})
