import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { ProjectFolders } from '../projects/project-folder.ts'
import { FileExchange, keepFiles } from './snapshot-files.ts'

let root: string
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'backhaul-snapshots-'))
})
after(() => rm(root, { recursive: true, force: true }))

let projects = 0

/** A project with files of two nodes, in a snapshot; then they change: one goes, one comes. */
async function createProject() {
  projects += 1
  const project_id = `project ${projects}`
  const folders = new ProjectFolders(root)
  const node = (id: string) => ({ id, node_type: 'vpcs', project_id })
  const fill = async (id: string, text: string) => {
    await mkdir(folders.node(node(id)), { recursive: true })
    await writeFile(join(folders.node(node(id)), 'file'), text)
  }
  const snapshot = { projectId: project_id, id: 'snapshot' }
  await fill('a', 'a')
  await fill('b', 'b')
  await keepFiles(folders, snapshot, [node('a'), node('b'), node('never started')])
  await fill('a', 'changed')
  await rm(folders.node(node('b')), { recursive: true })
  await fill('c', 'c')
  const kept = (id: string, keptId = id) => ({ ...node(id), keptId })
  const exchange = {
    snapshot,
    before: [node('a'), node('c')],
    after: [kept('a'), kept('new b', 'b'), kept('never started')],
  }
  const files = async () => {
    const folder = join(folders.project(project_id), 'project-files', 'vpcs')
    const names = (await readdir(folder)).sort()
    return Promise.all(names.map(async (name) => [name, await readFile(join(folder, name, 'file'), 'utf8')]))
  }
  return { exchange, folders, files, project: folders.project(project_id) }
}

const changed = [
  ['a', 'changed'],
  ['c', 'c'],
]

describe('an exchange of files', () => {
  it('puts those of the snapshot in the place of all others', async () => {
    const { exchange, folders, files, project } = await createProject()
    const prepared = await FileExchange.prepare(folders, exchange)
    assert.deepEqual(await files(), changed)
    await prepared.run()
    await prepared.end()

    assert.deepEqual(await files(), [
      ['a', 'a'],
      ['new b', 'b'],
    ])
    assert.deepEqual((await readdir(project)).sort(), ['project-files', 'snapshots'])
  })

  it('can be undone until it has ended', async () => {
    const { exchange, folders, files, project } = await createProject()
    const prepared = await FileExchange.prepare(folders, exchange)
    await prepared.run()
    await prepared.undo()
    await prepared.end()

    assert.deepEqual(await files(), changed)
    assert.deepEqual((await readdir(project)).sort(), ['project-files', 'snapshots'])
  })

  it('that fails halfway can be undone', async () => {
    const { exchange, folders, files } = await createProject()
    const clash = { ...exchange, before: [exchange.before[1]] as typeof exchange.before }
    const prepared = await FileExchange.prepare(folders, clash)
    await assert.rejects(prepared.run())
    await prepared.undo()
    await prepared.end()

    assert.deepEqual(await files(), changed)
  })
})
