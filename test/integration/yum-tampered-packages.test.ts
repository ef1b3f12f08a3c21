import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fetchPublished, syncToEnd } from '../support/content.ts'
import type { Json } from '../support/json.ts'
import { hrefOf, MadeUpstream, madeFiles, madePackage, publishedPathOf } from '../support/made-yum.ts'
import { indexEntry, introOf, leadBytes } from '../support/rpm-bytes.ts'
import { ViewLab } from '../support/view-lab.ts'
import { waitUntil } from '../support/wait-until.ts'
import { servedPackages } from '../support/yum-client.ts'

let lab: ViewLab
let upstream: MadeUpstream
before(async () => {
  lab = await ViewLab.start()
  upstream = await MadeUpstream.start()
})
after(async () => {
  await lab[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

let folders = 0

/** A repository whose upstream has something else than it says for one package. */
async function createTampered(wrong: Buffer, right: Buffer, download_policy: string) {
  folders += 1
  const folder = `tampered-${folders}`
  const made = madePackage('wanted', { bytes: right })
  const files = madeFiles([madePackage('other'), made])
  upstream.folders.set(folder, files.set(hrefOf(made), wrong))
  const attributes = { content_type: 'yum', url: upstream.url(folder), download_policy }
  const repository = await lab.createRepository({}, attributes)
  const task = await syncToEnd(lab.server, repository.id)
  const mend = () => files.set(hrefOf(made), right)
  return { folder, made, repository, task, mend }
}

/** All that a client receives, and whether it could take that for the whole file. */
async function download(repository: Json, path: string, headers: Record<string, string> = {}) {
  const url = `${lab.server.content}/content/${repository.relative_path}/${path}`
  const asking = request(url, { headers, agent: false }).end()
  const [response] = await once(asking, 'response')
  const parts: Buffer[] = []
  response.on('data', (part: Buffer) => parts.push(part))
  // a transfer that breaks is what is looked for
  response.on('error', () => {})
  await new Promise((resolve) => response.once('close', resolve))
  const isGood = response.statusCode === 200 || response.statusCode === 206
  return { isTaken: isGood && response.complete, status: response.statusCode, bytes: Buffer.concat(parts) }
}

const flipped = (bytes: Buffer) => {
  const wrong = Buffer.from(bytes)
  wrong.writeUInt8(wrong.readUInt8(100) ^ 1, 100)
  return wrong
}

const ways: readonly (readonly [string, number, (bytes: Buffer) => Buffer])[] = [
  ['one bit of a small package is another', 2000, flipped],
  ['one bit of a large package is another', 3_000_000, flipped],
  ['the end of a large package is missing', 3_000_000, (bytes) => bytes.subarray(0, 2_000_000)],
  ['a large package has something behind its end', 3_000_000, (bytes) => Buffer.concat([bytes, Buffer.from('!')])],
]

describe('a tampered package', { concurrency: true }, () => {
  for (const [what, size, tamper] of ways) {
    it(`is never completed to a client on demand when ${what}, until it is mended`, async () => {
      const right = randomBytes(size)
      const { repository, made, task, mend } = await createTampered(tamper(right), right, 'on_demand')
      assert.equal(task.result, 'success', task.humanized.errors.join())
      const path = publishedPathOf(made)

      for (const headers of [{}, { range: 'bytes=0-99' }, { range: 'bytes=-50' }]) {
        const { isTaken, bytes } = await download(repository, path, headers)
        assert.equal(isTaken, false)
        assert.notEqual(bytes.length, tamper(right).length)
      }

      mend()
      const { isTaken, bytes } = await download(repository, path)
      assert.ok(isTaken && bytes.equals(right))
    })

    it(`is refused by a sync that fetches at once when ${what}, until it is mended`, async () => {
      const right = randomBytes(size)
      const { repository, made, task, mend } = await createTampered(tamper(right), right, 'immediate')

      assert.equal(task.result, 'error')
      assert.match(task.humanized.errors.join(), /Packages\/w\/wanted-1\.0-1\.noarch\.rpm/)
      assert.equal((await fetchPublished(lab.server, repository, 'repodata/repomd.xml')).status, 404)

      mend()
      const again = await syncToEnd(lab.server, repository.id)
      assert.equal(again.result, 'success', again.humanized.errors.join())
      assert.ok((await download(repository, publishedPathOf(made))).bytes.equals(right))
    })
  }

  it('is not asked for where another repository has the right one', async () => {
    const right = randomBytes(2000)
    const good = await createTampered(right, right, 'immediate')
    assert.equal(good.task.result, 'success')

    for (const policy of ['on_demand', 'immediate']) {
      const { repository, made, task, folder } = await createTampered(flipped(right), right, policy)

      assert.equal(task.result, 'success', task.humanized.errors.join())
      assert.ok((await download(repository, publishedPathOf(made))).bytes.equals(right))
      assert.ok(!upstream.asked(folder).includes(hrefOf(made)))
    }
  })
})

describe('packages with hostile headers', () => {
  it('are kept as they are by a sync, which believes the metadata only', async () => {
    const hostile = [
      Buffer.concat([leadBytes(), introOf(0xffffffff, 0xffffffff)]),
      Buffer.concat([leadBytes(), introOf(1, 16), indexEntry(1000, 6, 0xfffffff0, 0xffffffff), Buffer.alloc(16)]),
      Buffer.concat([leadBytes(), introOf(0, 0xfffffff), Buffer.alloc(100)]),
    ]
    const packages = hostile.map((bytes, index) => madePackage(`hostile${index}`, { bytes }))
    upstream.folders.set('hostile', madeFiles(packages))
    const attributes = { content_type: 'yum', url: upstream.url('hostile'), download_policy: 'immediate' }
    const repository = await lab.createRepository({}, attributes)

    const task = await syncToEnd(lab.server, repository.id)

    assert.equal(task.result, 'success', task.humanized.errors.join())
    for (const made of packages) assert.ok((await download(repository, publishedPathOf(made))).bytes.equals(made.bytes))
    assert.equal(((await servedPackages(lab.server, repository)) as Map<string, string>).size, 7)
  })
})

describe('packages that are listed twice', () => {
  it('are one package', async () => {
    const [single, twice] = [madePackage('single'), madePackage('twice')]
    upstream.folders.set('twice', madeFiles([twice, single, twice]))
    for (const download_policy of ['on_demand', 'immediate']) {
      const attributes = { content_type: 'yum', url: upstream.url('twice'), download_policy }
      const repository = await lab.createRepository({}, attributes)

      const task = await syncToEnd(lab.server, repository.id)

      assert.equal(task.result, 'success', task.humanized.errors.join())
      assert.equal(task.output.added, 2)
      assert.equal(((await servedPackages(lab.server, repository)) as Map<string, string>).size, 2 + 4)
    }
  })
})

describe('what tampered packages leave behind', () => {
  it('is nothing half-done', async () => {
    const folder = join(lab.server.folder, 'data', 'blobs', 'tmp')
    await waitUntil('nothing is half-done', async () => (await readdir(folder)).length === 0)
  })
})
