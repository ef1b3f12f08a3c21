import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fetchPublished, taskEnd } from '../support/content.ts'
import { Gpg, lacksGpg } from '../support/gpg.ts'
import type { Json } from '../support/json.ts'
import { hrefOf, MadeUpstream, madeFiles, madeLists, madePackage, publishedPathOf } from '../support/made-yum.ts'
import { sha256 } from '../support/uploads.ts'
import { ViewLab } from '../support/view-lab.ts'
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

const index = 'repodata/repomd.xml'

async function createRepository(folder: string, download_policy = 'on_demand'): Promise<Json> {
  return lab.createRepository({}, { content_type: 'yum', url: upstream.url(folder), download_policy })
}

/** Where a tree would be that systems are installed from. */
const trees = ['.treeinfo', 'treeinfo']

/** Syncs and gives the task and the paths that the upstream was asked for meanwhile. */
async function synced(repository: Json, folder: string, options: object = {}) {
  const before = upstream.asked(folder).length
  const answer = await lab.server.ask(`/content/api/repositories/${repository.id}/sync`, {
    method: 'POST',
    body: options,
  })
  assert.equal(answer.status, 202, JSON.stringify(answer.body))
  const task = await taskEnd(lab.server, answer.body.id)
  return { task, asked: upstream.asked(folder).slice(before) }
}

describe('a sync of packages whose upstream is published anew meanwhile', { concurrency: true }, () => {
  it('reads the new one when the lists of the old one are gone', async () => {
    const [old, young] = [madePackage('old'), madePackage('young')]
    const former = madeFiles([old])
    const files = madeFiles([old, young])
    upstream.folders.set('gone', files)
    let isFirst = true
    upstream.answers.set('gone', (path, response) => {
      if (path !== index || !isFirst) return false
      isFirst = false
      return response.end(former.get(index))
    })
    const repository = await createRepository('gone')

    const { task, asked } = await synced(repository, 'gone')

    assert.equal(task.result, 'success', task.humanized.errors.join())
    assert.equal(asked.filter((path) => path === index).length, 2)
    const served = await servedPackages(lab.server, repository)
    assert.ok(served instanceof Map && served.has(publishedPathOf(young)))
    // what it remembers is the new index
    assert.equal((await synced(repository, 'gone')).task.output.contents_changed, false)
  })

  it('reads the new one when the lists have the same names', async () => {
    const [old, young] = [madePackage('old'), madePackage('young')]
    const plain = (packages: Parameters<typeof madeLists>[0]) =>
      madeFiles(
        packages,
        madeLists(packages).map((record) => ({ ...record, isPlainlyNamed: true, size: null })),
      )
    const former = plain([old])
    upstream.folders.set('same-names', plain([old, young]))
    let isFirst = true
    upstream.answers.set('same-names', (path, response) => {
      if (path !== index || !isFirst) return false
      isFirst = false
      return response.end(former.get(index))
    })
    const repository = await createRepository('same-names')

    const { task } = await synced(repository, 'same-names')

    assert.equal(task.result, 'success', task.humanized.errors.join())
    assert.equal(task.output.added, 2)
  })

  it('reads the new one with its signature when the signature of the old one is gone', { skip: lacksGpg }, async () => {
    await using gpg = await Gpg.open()
    const key = await gpg.createKey('distribution')
    const credential = { organization_id: 1, name: 'Key', content_type: 'gpg_key', content: await gpg.exportKeys(key) }
    const { id } = await lab.create('content_credentials', credential)
    const former = madeFiles([madePackage('old')])
    const files = madeFiles([madePackage('old'), madePackage('young')])
    files.set(`${index}.asc`, Buffer.from(await gpg.sign(files.get(index) as Buffer, key)))
    upstream.folders.set('signed', files)
    let isFirst = true
    upstream.answers.set('signed', (path, response) => {
      if (path === index && isFirst) response.end(former.get(index))
      isFirst = false
    })
    const attributes = { content_type: 'yum', url: upstream.url('signed'), download_policy: 'on_demand' }
    const repository = await lab.createRepository({}, { ...attributes, gpg_key_id: id })

    const { task } = await synced(repository, 'signed')

    assert.equal(task.result, 'success', task.humanized.errors.join())
    assert.equal(task.output.added, 2)
    // what was not signed like this stays refused
    files.set(index, Buffer.from(`${files.get(index)}<!-- tampered -->`))
    const tampered = await synced(repository, 'signed')
    assert.match(tampered.task.humanized.errors.join(), /Cannot trust repomd\.xml/)
    assert.deepEqual(tampered.asked, [index, `${index}.asc`, index])
  })

  it('says that it changes when that goes on, and keeps what it has', async () => {
    const old = madePackage('old')
    upstream.folders.set('restless', madeFiles([old]))
    const repository = await createRepository('restless')
    assert.equal((await synced(repository, 'restless')).task.result, 'success')
    const good = await servedPackages(lab.server, repository)
    upstream.answers.set('restless', (path, response) => path === index && response.end(madeFiles([old]).get(index)))

    const { task, asked } = await synced(repository, 'restless')

    assert.equal(task.result, 'error')
    assert.match(
      task.humanized.errors.join(),
      /Cannot read http.*restless\/: its repomd\.xml was replaced while.*primary\.xml.*404/,
    )
    assert.equal(asked.filter((path) => path === index).length, 2)
    assert.deepEqual(await servedPackages(lab.server, repository), good)
  })

  it('waits for an upstream that is busy, and goes on where a long list broke off', async () => {
    const made = madePackage('patient')
    const lists = madeLists([made]).map((record) => ({
      ...record,
      text: `${record.text}<!-- ${'x'.repeat(200_000)} -->`,
      pack: (text: Buffer) => text,
    }))
    upstream.folders.set('flapping', madeFiles([made], lists))
    const refused = new Set<string>()
    upstream.answers.set('flapping', (path, response, { headers }) => {
      if (refused.has(path) || (path !== index && !path.includes('primary') && path !== hrefOf(made))) return false
      refused.add(path)
      if (path === index) return response.writeHead(429, { 'retry-after': '1' }).end()
      if (!path.includes('primary')) return response.writeHead(503, { 'retry-after': '0' }).end()
      assert.equal(headers.range, undefined)
      const bytes = upstream.folders.get('flapping')?.get(path) as Buffer
      const half = bytes.subarray(0, 100_000)
      return response.writeHead(200, { 'content-length': bytes.length }).write(half, () => response.destroy())
    })
    const repository = await createRepository('flapping', 'immediate')

    const { task } = await synced(repository, 'flapping')

    assert.equal(task.result, 'success', task.humanized.errors.join())
    assert.equal(refused.size, 3)
    assert.equal(((await servedPackages(lab.server, repository)) as Map<string, string>).size, 5)
  })
})

describe('a sync of packages that is told', () => {
  const packages = [madePackage('one'), madePackage('two')] as const
  let repository: Json
  before(async () => {
    upstream.folders.set('options', madeFiles(packages))
    repository = await createRepository('options', 'immediate')
    const { asked } = await synced(repository, 'options')
    assert.deepEqual([asked.length, asked[0]], [8, index])
  })

  const blobOf = (bytes: Uint8Array) => {
    const digest = sha256(bytes)
    return join(lab.server.folder, 'data', 'blobs', digest.slice(0, 2), digest)
  }

  it('nothing asks for the index only when nothing has changed', async () => {
    const { task, asked } = await synced(repository, 'options')

    assert.deepEqual(asked, [index])
    assert.equal(task.output.contents_changed, false)
  })

  it('to skip the check of metadata reads all of it again, without fetching what it has, and publishes', async () => {
    const before = await fetchPublished(lab.server, repository, index)
    const publications =
      'select max(p.id)::int as id from publications p join repositories r using (set_id) where r.id = $1'
    const last = async () => (await lab.server.database.database.pool.query(publications, [repository.id])).rows[0].id
    const former = await last()

    const { task, asked } = await synced(repository, 'options', { skip_metadata_check: true })

    assert.equal(task.result, 'success', task.humanized.errors.join())
    assert.deepEqual(asked, [index, ...trees])
    assert.deepEqual([task.output.added, task.output.removed], [0, 0])
    assert.ok((await last()) > former)
    assert.equal(await (await fetchPublished(lab.server, repository, index)).text(), await before.text())
  })

  it('to validate what it has finds what was damaged and fetches nothing else', async () => {
    const [{ bytes }] = packages
    await writeFile(blobOf(bytes), 'something else')

    const { task, asked } = await synced(repository, 'options', { validate_contents: true })

    assert.equal(task.result, 'success', task.humanized.errors.join())
    assert.deepEqual(task.output.repaired, [publishedPathOf(packages[0])])
    assert.deepEqual(
      asked.filter((path) => ![index, ...trees].includes(path)),
      [hrefOf(packages[0])],
    )
    assert.deepEqual(await readFile(blobOf(bytes)), bytes)
    assert.ok((await servedPackages(lab.server, repository)) instanceof Map)
  })

  it('nothing does not see damage, which a check of checksums repairs', async () => {
    const [, { bytes }] = packages
    await writeFile(blobOf(bytes), 'something else')
    assert.equal((await synced(repository, 'options')).task.result, 'success')
    assert.notDeepEqual(await readFile(blobOf(bytes)), bytes)

    const task = await lab.work('POST', `repositories/${repository.id}/verify_checksum`)

    assert.deepEqual(task.output.repaired, [publishedPathOf(packages[1])])
    assert.deepEqual(await readFile(blobOf(bytes)), bytes)
  })
})
