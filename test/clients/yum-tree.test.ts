import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { appendFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { syncToEnd } from '../support/content.ts'
import type { Json } from '../support/json.ts'
import { lacksProgram } from '../support/programs.ts'
import { output } from '../support/run.ts'
import { ViewLab } from '../support/view-lab.ts'
import { treeinfo } from '../support/yum-samples.ts'
import { lacksYumUpstream, startYumUpstream, type YumUpstream } from '../support/yum-upstream.ts'

const kernel = 'images/pxeboot/vmlinuz'
const initrd = 'images/pxeboot/initrd.img'
const digest = (text: string) => createHash('sha256').update(text).digest('hex')

describe('the tree of a repository', { skip: lacksYumUpstream || lacksProgram('curl') }, () => {
  let lab: ViewLab
  let upstream: YumUpstream
  before(async () => {
    lab = await ViewLab.start()
    upstream = await startYumUpstream(['gz'])
  })
  after(async () => {
    await upstream?.[Symbol.asyncDispose]()
    await lab?.[Symbol.asyncDispose]()
  })

  type Files = Readonly<Record<string, string>>

  /** Puts files into an upstream's tree, and says so in its description. */
  async function writeTree(name: string, files: Files, describing = treeinfo): Promise<string> {
    const folder = join(upstream.folder, name)
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), text)
    }
    const digests = new Map(Object.entries(files).map(([path, text]) => [path, digest(text)]))
    const description = describing(digests.set('repodata/repomd.xml', digest('of the upstream')))
    await writeFile(join(folder, '.treeinfo'), description)
    return description
  }

  async function createUpstream(name: string): Promise<void> {
    await upstream.copy('gz', name)
    await rm(join(upstream.folder, name, 'images'), { recursive: true })
  }

  /** Changes the index so that nginx notices, which looks at its length and at the second of its change. */
  async function touch(name: string): Promise<void> {
    await appendFile(join(upstream.folder, name, 'repodata/repomd.xml'), '\n')
  }

  async function createRepository(name: string, attributes: object): Promise<Json> {
    return lab.createRepository({}, { content_type: 'yum', url: upstream.url(name), ...attributes })
  }

  async function sync(repository: Json): Promise<Json> {
    const task = await syncToEnd(lab.server, repository.id)
    assert.equal(task.result, 'success', JSON.stringify(task.humanized))
    return task
  }

  /** What curl is given at a path of a repository. */
  async function get(repository: Json, path: string): Promise<string> {
    const url = `${lab.server.content}/content/${repository.relative_path}/${encodeURI(path)}`
    return String(await output('curl', ['-sf', url]))
  }

  async function assertServed(repository: Json, files: Files, description: string): Promise<void> {
    for (const [path, text] of Object.entries(files)) assert.equal(await get(repository, path), text, path)
    assert.equal(await get(repository, '.treeinfo'), description)
    assert.equal(await get(repository, 'treeinfo'), description)
    assert.match(await get(repository, 'repodata/repomd.xml'), /<repomd /)
  }

  for (const policy of ['immediate', 'on_demand'] as const) {
    it(`is served beside the packages, also by a version of a view: ${policy}`, async () => {
      const files = {
        [kernel]: `kernel ${policy}`,
        [initrd]: `initrd ${policy}`,
        'LiveOS/squash fs.img': `fs ${policy}`,
      }
      await createUpstream(policy)
      const description = await writeTree(policy, files)
      const repository = await createRepository(policy, { download_policy: policy })
      await sync(repository)
      const fetched = (await upstream.nginx.requests()).filter((line) => line.includes(`GET /${policy}/images`))
      assert.equal(fetched.length, policy === 'immediate' ? 2 : 0, fetched.join('\n'))
      const version = await lab.publish(await lab.createView({ repositories: [repository] }))
      const copies = await lab.list({ content_view_version_id: version })
      assert.equal(copies.length, 2)
      for (const each of [...copies, repository]) await assertServed(each, files, description)
      assert.match(await get(repository, 'images/pxeboot/'), /vmlinuz/)
    })
  }

  it('is told by its repository', async () => {
    await createUpstream('told')
    await writeTree('told', { [kernel]: 'told', [initrd]: 'also told' })
    const repository = await createRepository('told', { download_policy: 'on_demand', name: 'Told' })
    const shown = async () => {
      const record = await lab.show(`repositories/${repository.id}`)
      return Object.fromEntries(Object.entries(record).filter(([name]) => name.startsWith('distribution_')))
    }
    assert.deepEqual(await shown(), {})
    assert.deepEqual(await lab.list({ search: 'name = Told and has distribution_version' }), [])
    await sync(repository)
    assert.deepEqual(await shown(), {
      distribution_version: '9',
      distribution_arch: 'x86_64',
      distribution_family: 'Sea',
      distribution_variant: 'Sea',
      distribution_bootable: true,
    })
    for (const search of [
      'distribution_version = 9',
      'distribution_arch ~ x86',
      'distribution_family = Sea',
      'distribution_variant = Sea',
      'distribution_bootable = true',
      'Sea',
    ]) {
      const found = await lab.list({ search: search === 'Sea' ? search : `name = Told and ${search}` })
      assert.ok(
        found.some(({ id }) => id === repository.id),
        search,
      )
    }
    assert.deepEqual(await lab.list({ search: 'name = Told and distribution_bootable = false' }), [])
    const holding = await lab.list({ with_content: 'distribution' })
    assert.ok(holding.some(({ id }) => id === repository.id))
    const [tree, ...others] = (
      await lab.show(`repositories/${repository.id}/distributions?search=name~Sea,bootable=true`)
    ).results
    assert.deepEqual(
      [tree?.name, tree?.version, tree?.arch, tree?.family, tree?.variant, tree?.bootable, others],
      ['Sea Sea 9 x86_64', '9', 'x86_64', 'Sea', 'Sea', true, []],
    )
  })

  it('is replaced by the next one, also where nothing else is taken out; an unchanged upstream is asked once', async () => {
    await createUpstream('changing')
    await writeTree('changing', { [kernel]: 'old kernel', [initrd]: 'old initrd' })
    const repository = await createRepository('changing', { mirror_on_sync: false, download_policy: 'on_demand' })
    await sync(repository)
    assert.equal(await get(repository, initrd), 'old initrd')
    const before = (await upstream.nginx.requests()).length
    await sync(repository)
    assert.deepEqual((await upstream.nginx.requests()).slice(before), ['GET /changing/repodata/repomd.xml 304'])

    const files = { [kernel]: 'old kernel', [initrd]: 'new initrd' }
    const description = await writeTree('changing', files)
    await touch('changing')
    const { output: told } = await sync(repository)
    assert.deepEqual([told.added, told.removed], [1, 1])
    await assertServed(repository, files, description)
  })

  it('does without what its upstream leaves out, and fetches what it says too little of', async () => {
    await createUpstream('poor')
    const md5 = createHash('md5').update('the kernel').digest('hex')
    await writeTree('poor', { [kernel]: 'the kernel', [initrd]: 'the initrd' }, () =>
      treeinfo(new Map([['images/boot.iso', digest('a large file')]])).replace(
        '[checksums]',
        `[checksums]\n${kernel} = md5:${md5}`,
      ),
    )
    const repository = await createRepository('poor', { download_policy: 'on_demand' })
    await sync(repository)
    const lines = (await upstream.nginx.requests()).filter((line) => line.includes('/poor/images')).sort()
    assert.deepEqual(lines, [
      'GET /poor/images/pxeboot/initrd.img 200',
      'GET /poor/images/pxeboot/vmlinuz 200',
      'HEAD /poor/images/boot.iso 404',
      'HEAD /poor/images/pxeboot/initrd.img 200',
      'HEAD /poor/images/pxeboot/vmlinuz 200',
    ])
    assert.deepEqual([await get(repository, kernel), await get(repository, initrd)], ['the kernel', 'the initrd'])
    await assert.rejects(get(repository, 'images/boot.iso'))

    await rm(join(upstream.folder, 'poor', initrd))
    await touch('poor')
    await sync(repository)
    assert.equal((await lab.show(`repositories/${repository.id}`)).distribution_bootable, false)
  })

  it('is repaired with the packages when a sync is to validate what is there', async () => {
    await createUpstream('validated')
    const files = { [kernel]: 'a kernel that gets damaged', [initrd]: 'an initrd that stays whole' }
    const description = await writeTree('validated', files)
    const repository = await createRepository('validated', {})
    await sync(repository)
    const walrus = 'Packages/w/walrus-5.21-1.noarch.rpm'
    const bytes = await readFile(join(upstream.folder, 'validated/Packages/walrus-5.21-1.noarch.rpm'))
    for (const content of [bytes, Buffer.from(files[kernel] as string)]) {
      const sha256 = createHash('sha256').update(content).digest('hex')
      await writeFile(join(lab.server.folder, 'data/blobs', sha256.slice(0, 2), sha256), Buffer.alloc(content.length))
    }
    const { output: told } = await lab.work('POST', `repositories/${repository.id}/sync`, { validate_contents: true })
    assert.deepEqual([told.repaired.toSorted(), told.unrepairable], [[walrus, kernel], []])
    await assertServed(repository, files, description)
  })

  it('may be missing, under another name, or a page', async () => {
    await createUpstream('treeless')
    const repository = await createRepository('treeless', { download_policy: 'on_demand' })
    const description = await writeTree('treeless', {})
    const path = join(upstream.folder, 'treeless', '.treeinfo')
    await rm(path)
    await sync(repository)
    assert.deepEqual(await lab.list({ with_content: 'distribution', name: repository.name }), [])

    await writeFile(path, '<!DOCTYPE html><title>Not here</title>')
    await touch('treeless')
    await sync(repository)
    assert.deepEqual(await lab.list({ with_content: 'distribution', name: repository.name }), [])

    await writeFile(join(upstream.folder, 'treeless', 'treeinfo'), description)
    await touch('treeless')
    await sync(repository)
    assert.equal(await get(repository, '.treeinfo'), description)
  })

  it('is refused as a whole when it leads elsewhere or its files are others', async () => {
    await createUpstream('hostile')
    const repository = await createRepository('hostile', {})
    const refused = async (message: RegExp) => {
      const task = await syncToEnd(lab.server, repository.id)
      assert.equal(task.result, 'error')
      assert.match(JSON.stringify(task.humanized), message)
    }
    await writeTree('hostile', {}, () => treeinfo(new Map([['../../etc/passwd', digest('x')]])))
    await refused(/treeinfo.*\.\.\/\.\.\/etc\/passwd/)
    await writeTree('hostile', { [kernel]: 'a kernel' }, () => treeinfo(new Map([[kernel, digest('another')]])))
    await refused(/vmlinuz/)
    await writeTree('hostile', {}, () => 'no line of it is one')
    await refused(/treeinfo/)
  })
})
