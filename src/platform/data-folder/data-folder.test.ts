import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { dataFolder, lockDataFolder } from './data-folder.ts'

const program = join(import.meta.dirname, '../../../test/support/lock-process.ts')

let parent: string
let folder: string
let children: ChildProcess[]
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'backhaul-folder-'))
  folder = join(parent, 'deep', 'data')
  children = []
})
afterEach(async () => {
  for (const child of children) await kill(child)
  await rm(parent, { recursive: true })
})

/** Starts a process that uses the folder so, and gives what it says of it. */
async function use(...words: string[]): Promise<{ child: ChildProcess; said: string }> {
  const child = spawn(process.execPath, [program, folder, ...words], { stdio: ['pipe', 'pipe', 'inherit'] })
  children.push(child)
  const [said] = (await once(child.stdout, 'data')) as [Buffer]
  return { child, said: said.toString().trim() }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

const refusal = /^Cannot use .*\/deep\/data: another Backhaul runs on it, and only one can run with the /

describe('a data folder', () => {
  for (const [first, second, isShared] of [
    ['', '', true],
    ['links', '', true],
    ['', 'links', true],
    ['links', 'links', false],
    ['embedded', '', false],
    ['', 'embedded', false],
    ['embedded', 'embedded', false],
    ['embedded links', 'links', false],
  ] as const) {
    const names = [first, second].map((words) => (words === '' ? 'neither' : words))

    it(`is ${isShared ? 'shared' : 'refused to the second'} of two processes with ${names.join(' and ')}`, async () => {
      const one = await use(...first.split(' '))
      const other = await use(...second.split(' '))

      assert.equal(one.said, 'locked')
      if (isShared) assert.equal(other.said, 'locked')
      else assert.match(other.said, refusal)
    })
  }

  it('is free again as soon as its process is killed', async () => {
    const { child } = await use('embedded', 'links')
    await kill(child)

    assert.equal((await use('embedded', 'links')).said, 'locked')
  })

  it('is free again when its locks are disposed of, also those taken before a refusal', async () => {
    const links = await lockDataFolder(dataFolder(folder), { isDatabaseEmbedded: false, ownsLinks: true })
    await assert.rejects(lockDataFolder(dataFolder(folder), { isDatabaseEmbedded: false, ownsLinks: true }), {
      code: 'conflict',
      message: /with the role "links"/,
    })
    links[Symbol.dispose]()

    assert.equal((await use('embedded', 'links')).said, 'locked')
  })

  it('is locked by one of several processes that start at the same moment', async () => {
    const all = await Promise.all(Array.from({ length: 4 }, () => use('embedded', 'links')))

    assert.deepEqual(all.map(({ said }) => said === 'locked').sort(), [false, false, false, true])
  })

  it('is made with whatever is above it, for its owner alone', async () => {
    using _ = await lockDataFolder(dataFolder(folder), { isDatabaseEmbedded: true, ownsLinks: true })

    assert.equal(((await stat(folder)).mode & 0o777).toString(8), '700')
    assert.deepEqual((await readdir(folder)).sort(), ['data.lock', 'links.lock'])
  })
})
