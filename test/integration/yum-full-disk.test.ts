import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, openSync, writeSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { syncToEnd } from '../support/content.ts'
import type { Json } from '../support/json.ts'
import { type MadePackage, MadeUpstream, madeFiles, madeLists, madePackage } from '../support/made-yum.ts'
import { lacksProgram, lacksRoot } from '../support/programs.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { ViewLab } from '../support/view-lab.ts'
import { waitUntil } from '../support/wait-until.ts'
import { servedPackages } from '../support/yum-client.ts'

const noise = (length: number) => randomBytes(length / 2).toString('hex')

/** A repository where one list is far larger than the others, open or not. */
function withLong(type: string, text: string, packages: readonly MadePackage[]) {
  const lists = madeLists(packages).map((record) =>
    record.type === type
      ? { ...record, text: String(record.text).replace('<version', `<extra>${text}</extra><version`) }
      : record,
  )
  return madeFiles(packages, lists)
}

const old = madePackage('old')
const young = madePackage('young')

const moments: readonly (readonly [string, number, () => ReturnType<typeof madeFiles>, RegExp])[] = [
  [
    'while it fetches lists',
    1_000_000,
    () => withLong('other', noise(6_000_000), [young, old]),
    /Cannot keep repodata\/.*-other\.xml.*the disk is full/,
  ],
  [
    'while it fetches packages',
    2_000_000,
    () => madeFiles([1, 2, 3].map((number) => madePackage(`large${number}`, { bytes: randomBytes(1_500_000) }))),
    /Cannot keep Packages\/l\/large\d.*the disk is full/,
  ],
  [
    'while it puts a list aside',
    1_000_000,
    () => withLong('filelists', ' '.repeat(3_000_000), [madePackage('young'), old]),
    /Cannot keep filelists\.xml: the disk is full/,
  ],
]

describe('a full disk', { skip: lacksRoot || lacksProgram('mount', 'umount', 'df') }, () => {
  let folder: string
  let upstream: MadeUpstream
  let server: TestServer
  let lab: ViewLab
  const data = () => join(folder, 'data')
  const filler = () => join(data(), 'filler')

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'backhaul-full-'))
    execFileSync('mkdir', [data()])
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', data()])
    upstream = await MadeUpstream.start()
    server = await startTestServer({ BACKHAUL_DATA: data() })
    lab = new ViewLab(server)
  })
  after(async () => {
    await server[Symbol.asyncDispose]()
    await upstream[Symbol.asyncDispose]()
    execFileSync('umount', [data()])
    await rm(folder, { recursive: true })
  })

  /** Takes all space but so much. */
  function fill(leftBytes: number): void {
    const file = openSync(filler(), 'w')
    const free = Number(execFileSync('df', ['--output=avail', '-B1', data()], { encoding: 'utf8' }).split('\n')[1])
    for (let left = free - leftBytes; left > 0; left -= 4096) writeSync(file, Buffer.alloc(4096))
    closeSync(file)
  }

  async function createRepository(name: string, download_policy = 'immediate'): Promise<Json> {
    return lab.createRepository({}, { content_type: 'yum', url: upstream.url(name), download_policy })
  }

  async function assertFails(repository: Json, message: RegExp): Promise<void> {
    const before = await servedPackages(server, repository)
    const task = await syncToEnd(server, repository.id)
    assert.equal(task.result, 'error', JSON.stringify(task.output))
    assert.match(task.humanized.errors.join(), message)
    await waitUntil('nothing is half-done', async () => (await readdir(join(data(), 'blobs', 'tmp'))).length === 0)
    assert.deepEqual(await servedPackages(server, repository), before)
  }

  async function assertSucceeds(repository: Json): Promise<Map<string, string>> {
    await rm(filler(), { force: true })
    const task = await syncToEnd(server, repository.id)
    assert.equal(task.result, 'success', JSON.stringify(task.humanized.errors))
    return (await servedPackages(server, repository)) as Map<string, string>
  }

  for (const [index, [moment, leftBytes, files, message]] of moments.entries()) {
    it(`is named by a sync of packages ${moment}, old content stays, and the next one succeeds when there is space`, async () => {
      const name = `full-${index}`
      upstream.folders.set(name, madeFiles([old]))
      const repository = await createRepository(name)
      await assertSucceeds(repository)
      upstream.folders.set(name, files())
      fill(leftBytes)

      await assertFails(repository, message)

      assert.ok((await assertSucceeds(repository)).size > 4)
    })
  }

  it('is named by a sync of packages that publishes, and the next one succeeds when there is space', async () => {
    upstream.folders.set('published', withLong('primary', noise(2_000_000), [madePackage('wordy')]))
    await assertSucceeds(await createRepository('published', 'on_demand'))
    const second = await createRepository('published', 'on_demand')
    fill(600_000)

    await assertFails(second, /Cannot keep .*primary.*the disk is full/)

    assert.equal((await assertSucceeds(second)).size, 5)
  })
})
