import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { syncToEnd } from '../support/content.ts'
import type { Json } from '../support/json.ts'
import { type MadeFiles, type MadePackage, MadeUpstream, madeFiles, madePackage } from '../support/made-yum.ts'
import { sha256 } from '../support/uploads.ts'
import { ViewLab } from '../support/view-lab.ts'
import { servedPackages } from '../support/yum-client.ts'

const index = 'repodata/repomd.xml'

describe('a repository that is known by its mirrors', () => {
  let lab: ViewLab
  let upstream: MadeUpstream
  let repository: Json
  let packages: readonly MadePackage[] = []
  /** What the mirrors are said to have, and one of them has. */
  let files: MadeFiles
  let good: Awaited<ReturnType<typeof servedPackages>>
  before(async () => {
    lab = await ViewLab.start()
    upstream = await MadeUpstream.start()
    const url = upstream.url('list/metalink').replace(/\/$/, '')
    repository = await lab.createRepository({}, { content_type: 'yum', url, download_policy: 'on_demand' })
  })
  after(async () => {
    await lab[Symbol.asyncDispose]()
    await upstream[Symbol.asyncDispose]()
  })
  beforeEach(() => {
    packages = [...packages, madePackage(`made${packages.length}`)]
    files = madeFiles(packages)
    upstream.folders.set('good', files)
  })

  function name(...mirrors: readonly string[]): void {
    const urls = mirrors.map((mirror, place) => `<url preference="${100 - place}">${mirror}${index}</url>`)
    const hash = `<hash type="sha256">${sha256(files.get(index) as Buffer)}</hash>`
    const file = `<file name="repomd.xml"><verification>${hash}</verification><resources>${urls.join('')}</resources></file>`
    upstream.folders.set('list', new Map([['metalink', Buffer.from(`<metalink><files>${file}</files></metalink>`)]]))
  }

  async function assertSucceeds(): Promise<void> {
    const task = await syncToEnd(lab.server, repository.id)
    assert.equal(task.result, 'success', task.humanized.errors.join())
    good = await servedPackages(lab.server, repository)
    assert.equal((good as Map<string, string>).size, packages.length + 4)
  }

  async function assertFails(message: RegExp): Promise<void> {
    const task = await syncToEnd(lab.server, repository.id)
    assert.equal(task.result, 'error')
    assert.match(task.humanized.errors.join(), message)
    assert.deepEqual(await servedPackages(lab.server, repository), good)
  }

  it('is read from the first that has what all should have', async () => {
    upstream.folders.set('stale', madeFiles([]))
    name(upstream.url('gone'), upstream.url('stale'), upstream.url('good'))

    await assertSucceeds()
  })

  it('is refused when none has what all should have, and then is read when one has', async () => {
    upstream.folders.set('stale', madeFiles([]))
    name(upstream.url('gone'), upstream.url('stale'))

    await assertFails(/any of 2 mirrors: .*gone.*404.*stale\/ has another repomd\.xml than the metalink names/)
    name(upstream.url('good'))
    await assertSucceeds()
  })

  it('is refused when the list of mirrors leads to itself', async () => {
    upstream.answers.set('list', (path, response) => {
      if (path === `metalink/${index}`) response.end(upstream.folders.get('list')?.get('metalink'))
    })
    name(upstream.url('list/metalink'))

    await assertFails(/list\/metalink\/ has another repomd\.xml than the metalink names/)
    name(upstream.url('good'))
    await assertSucceeds()
  })

  it('is refused when the list is cut, endless or in circles, and then is read', async () => {
    name(upstream.url('good'))
    const whole = upstream.folders.get('list')?.get('metalink') as Buffer
    upstream.folders.set('list', new Map([['metalink', whole.subarray(0, -20)]]))
    await assertFails(/Cannot read the metalink: it ends too early/)

    upstream.folders.set('list', new Map([['metalink', Buffer.alloc(17_000_000, whole)]]))
    await assertFails(/metalink: it has more than 16777216 bytes/)

    upstream.answers.set('list', (_, response) => response.writeHead(302, { location: '?again' }).end())
    await assertFails(/metalink.*10 redirects/)

    upstream.answers.clear()
    name(upstream.url('good'))
    await assertSucceeds()
  })
})
