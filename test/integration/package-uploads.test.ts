import assert from 'node:assert/strict'
import { copyFile, mkdtempDisposable, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { parseRpmHeaders } from '../../src/content/types/yum/rpm/read-rpm-headers.ts'
import { messageIn } from '../support/error-answers.ts'
import { Gpg } from '../support/gpg.ts'
import type { Json } from '../support/json.ts'
import { lacksProgram } from '../support/programs.ts'
import { buildRpms, type RpmSpec, signRpms } from '../support/rpm-build.ts'
import { headerBytes, leastMain, rpmBytes } from '../support/rpm-bytes.ts'
import { form, multipart, repositories, sha256 } from '../support/uploads.ts'
import { ViewLab } from '../support/view-lab.ts'

const skip = lacksProgram('rpmbuild', 'rpmsign', 'gpg', 'gpgconf')

describe('packages that are uploaded', { skip }, () => {
  let lab: ViewLab
  let gpg: Gpg
  let folder: Awaited<ReturnType<typeof mkdtempDisposable>>
  before(async () => {
    lab = await ViewLab.start()
    gpg = await Gpg.open()
    folder = await mkdtempDisposable(join(tmpdir(), 'package-uploads-'))
  })
  after(async () => {
    await folder?.remove()
    await gpg?.[Symbol.asyncDispose]()
    await lab?.[Symbol.asyncDispose]()
  })

  /** The path of a package, signed by a key if one is given. */
  async function build(spec: RpmSpec, key?: string): Promise<string> {
    const [name] = await buildRpms(folder.path, [spec])
    const path = join(folder.path, name as string)
    if (key !== undefined) await signRpms([path], gpg, key)
    return path
  }

  async function createRepository(...keys: readonly string[]): Promise<Json> {
    if (keys.length === 0) return lab.createRepository({}, { content_type: 'yum' })
    const content = await gpg.exportKeys(...keys)
    const credential = { organization_id: 1, name: `Keys ${keys.join(' ')}`, content_type: 'gpg_key', content }
    const { id } = await lab.create('content_credentials', credential)
    return lab.createRepository({}, { content_type: 'yum', gpg_key_id: id })
  }

  async function send(repository: Json, name: string, bytes: Uint8Array) {
    const body = form([['content', bytes, name]])
    const path = `${repositories}/${repository.id}/upload_content`
    return lab.server.ask(path, { method: 'POST', body, headers: multipart })
  }

  async function take(repository: Json, name: string, bytes: Uint8Array): Promise<void> {
    const answer = await send(repository, name, bytes)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
  }

  async function names(repository: Json): Promise<string[]> {
    const { results } = await lab.show(`packages?repository_id=${repository.id}&full_result=true`)
    return results.map(({ nvra }: Json) => nvra).sort()
  }

  for (const algorithm of ['rsa2048', 'ed25519'] as const) {
    it(`are taken with a right signature (${algorithm}) of the repository's key, and refused with a wrong one`, async () => {
      const key = await gpg.createKey(`vendor-${algorithm}`, { algorithm })
      const repository = await createRepository(key)
      const good = await readFile(await build({ name: 'seal', version: '1.0' }, key))
      const other = await readFile(await build({ name: 'otter', version: '1.0' }, key))
      const forged = withSignatureOf(good, other)

      await take(repository, 'good.rpm', good)
      const refused = await send(repository, 'forged.rpm', forged)
      const message = messageIn(refused, `${repositories}/${repository.id}/upload_content`, 422)

      assert.match(message, /forged\.rpm/)
      assert.match(message, new RegExp(`key ${key.slice(-16)} \\(vendor-${algorithm} <`))
      assert.deepEqual(await names(repository), ['seal-1.0-1.noarch'])
    })
  }

  it('are taken unsigned, by keys that nobody knows, and without a key on the repository', async () => {
    const [ours, stranger] = [await gpg.createKey('ours'), await gpg.createKey('stranger')]
    const repository = await createRepository(ours)
    const signed = await readFile(await build({ name: 'squid', version: '1.0' }, stranger))
    const other = await readFile(await build({ name: 'crayfish', version: '1.0' }, stranger))
    await take(repository, 'squid.rpm', signed)
    await take(repository, 'shrimp.rpm', await readFile(await build({ name: 'shrimp', version: '1.0' })))
    const open = await createRepository()
    await take(open, 'forged.rpm', withSignatureOf(signed, other))
    assert.deepEqual(await names(repository), ['shrimp-1.0-1.noarch', 'squid-1.0-1.noarch'])
  })

  it('with signatures of their payload alone, as of long ago, are checked too', async () => {
    const key = await gpg.createKey('ancient', { algorithm: 'rsa2048' })
    const repository = await createRepository(key)
    const payload = Buffer.from('the payload of an old package')
    const main = headerBytes(leastMain)
    const signature = await gpg.output(['--detach-sign', '-u', key, '-o', '-'], Buffer.concat([main, payload]))
    const old = (own: Buffer) => rpmBytes({ signature: [[1002, 7, signature]], main: leastMain, payload: own })
    const path = `${repositories}/${repository.id}/upload_content`

    messageIn(await send(repository, 'old.rpm', old(Buffer.from('another payload'))), path, 422)
    await take(repository, 'old.rpm', old(payload))
    assert.deepEqual(await names(repository), ['least-1.0-1.noarch'])
  })

  it('with signatures of the newest form are checked too, each of several', async () => {
    const key = await gpg.createKey('newest')
    const repository = await createRepository(key)
    const sign = async (bytes: Buffer) => {
      const signature = await gpg.output(['--detach-sign', '-u', key, '-o', '-'], bytes)
      return signature.toString('base64')
    }
    const [right, wrong] = [await sign(headerBytes(leastMain)), await sign(Buffer.from('others'))]
    const signedBy = (...texts: readonly string[]) => rpmBytes({ signature: [[278, 8, texts]], main: leastMain })
    const path = `${repositories}/${repository.id}/upload_content`

    messageIn(await send(repository, 'wrong.rpm', signedBy(right, wrong)), path, 422)
    await take(repository, 'right.rpm', signedBy(right, right))
  })

  it('with an expired key are taken, and those that the key has not signed are refused all the same', async () => {
    const key = await gpg.createKey('expired', { day: '20200101', life: '2d', algorithm: 'rsa2048' })
    const repository = await createRepository(key)
    const sign = (bytes: Buffer) =>
      gpg.output(['--faked-system-time', '20200102T000000', '--detach-sign', '-u', key, '-o', '-'], bytes)
    const signature = await sign(headerBytes(leastMain))
    const with268 = (value: Buffer) => rpmBytes({ signature: [[268, 7, value]], main: leastMain })
    const path = `${repositories}/${repository.id}/upload_content`

    messageIn(await send(repository, 'wrong.rpm', with268(await sign(Buffer.from('others')))), path, 422)
    await take(repository, 'old.rpm', with268(signature))
  })

  it('are harmless a second time, and other bytes of the same name and version are refused by both names', async () => {
    const repository = await createRepository()
    const path = await build({ name: 'dolphin', version: '2.0', summary: 'One' })
    const kept = join(folder.path, 'kept.rpm')
    await copyFile(path, kept)
    const first = await readFile(kept)
    await take(repository, 'dolphin.rpm', first)
    const before = await lab.show(`repositories/${repository.id}`)
    await take(repository, 'renamed.rpm', first)
    const second = await readFile(await build({ name: 'dolphin', version: '2.0', summary: 'Two' }))

    const message = messageIn(
      await send(repository, 'dolphin.rpm', second),
      `${repositories}/${repository.id}/upload_content`,
      409,
    )

    for (const named of ['dolphin-2.0-1.noarch.rpm', sha256(first), sha256(second)])
      assert.ok(message.includes(named), message)
    const { version_href: href, content_counts: counts } = await lab.show(`repositories/${repository.id}`)
    assert.deepEqual([href, counts.rpm], [before.version_href, 1])
  })

  it('with a hostile header do not keep the server from answering', async () => {
    const repository = await createRepository()
    const count = 300_000
    const files = Array.from({ length: count }, (_, at) => `file-${at}`)
    const hostile = rpmBytes({
      signature: [[1000, 4, [1]]],
      main: [
        ...leastMain,
        [1030, 3, [1]],
        [1116, 4, Array(count).fill(0)],
        [1117, 8, files],
        [1118, 8, [`/${'x'.repeat(100)}/`]],
      ],
    })
    let isDone = false
    const sending = send(repository, 'hostile.rpm', hostile).finally(() => {
      isDone = true
    })
    let answers = 0
    while (!isDone) {
      assert.equal((await lab.server.ask('/readyz')).status, 200)
      answers += 1
    }
    const message = messageIn(await sending, `${repositories}/${repository.id}/upload_content`, 422)
    assert.match(message, /hostile\.rpm.*300000 files/)
    assert.ok(answers > 1)
  })
})

/** A package whose signatures are those of another one; its digests are its own. */
function withSignatureOf(own: Buffer, other: Buffer): Buffer {
  const [mine, theirs] = [parseRpmHeaders(own), parseRpmHeaders(other)]
  const signed = [267, 268].flatMap((tag) => {
    const bytes = theirs.signature.findBytes(tag)
    return bytes === undefined ? [] : [[tag, 7, bytes] as const]
  })
  const signature = headerBytes([...signed, [273, 6, mine.signature.findText(273) as string]])
  const lead = own.subarray(0, 96)
  return Buffer.concat([lead, signature, Buffer.alloc(-signature.length & 7), own.subarray(mine.range.start)])
}
