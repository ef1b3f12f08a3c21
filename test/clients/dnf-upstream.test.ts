import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Dnf, type DnfRepository, lacksDnf } from '../support/dnf.ts'
import { packInPieces, repackRecord, repackWithZstd } from '../support/repomd.ts'
import { nativeArch } from '../support/rpm-build.ts'
import { startProxy, startUpstream } from '../support/upstream-server.ts'
import {
  compressions,
  lacksYumUpstream,
  packageSpecs,
  startYumUpstream,
  type YumUpstream,
} from '../support/yum-upstream.ts'

let upstream: YumUpstream
const skip = lacksDnf || lacksYumUpstream
before(async () => {
  if (skip === false) upstream = await startYumUpstream(compressions)
})
after(() => upstream?.[Symbol.asyncDispose]())

const checked = (more: Partial<DnfRepository> = {}): DnfRepository => ({
  baseurl: upstream.url('gz'),
  gpgcheck: true,
  repo_gpgcheck: true,
  gpgkey: upstream.keyUrl,
  ...more,
})
const whale = `whale-1.0-1.${nativeArch}`

/** What a client reads of all lists of packages. */
async function readAll(dnf: Dnf): Promise<Record<string, string[]>> {
  await dnf.lines('makecache')
  return {
    packages: await dnf.lines('repoquery', '-a', '--disable-modular-filtering'),
    files: await dnf.lines('repoquery', '-a', '-l'),
    changes: await dnf.lines('repoquery', '-a', '--changelog'),
    requires: await dnf.lines('repoquery', '--requires', 'whale'),
    advisories: await dnf.lines('updateinfo', 'list', '--all'),
    groups: await dnf.lines('group', 'list', '--ids'),
    modules: await dnf.lines('module', 'list'),
  }
}

describe('the real dnf', { skip }, () => {
  for (const compression of compressions) {
    it(`reads every list of a repository in ${compression}`, async () => {
      await using dnf = await Dnf.open(checked({ baseurl: upstream.url(compression) }))

      const read = await readAll(dnf)

      const names = [
        'crab-1:2.0-1.noarch',
        'crab-1:2.0~rc1-1.noarch',
        'narwhal-0:1.0-1.noarch',
        'octopus-0:1.0-1.noarch',
        'octopus-0:2.0-1.noarch',
        'walrus-0:0.71-1.noarch',
        'walrus-0:5.21-1.noarch',
        `whale-0:1.0-1.${nativeArch}`,
        'whale-0:1.0-1.src',
      ]
      assert.deepEqual(read['packages']?.toSorted(), names.toSorted())
      assert.ok(read['files']?.includes('/usr/share/walrus/5.21'))
      assert.ok(read['changes']?.some((line) => line.includes('Blunt the tusks')))
      assert.deepEqual(read['requires'], ['walrus >= 0.71'])
      assert.ok(read['groups']?.some((line) => line.includes('Mammals') && line.includes('mammals')))
      assert.ok(read['modules']?.some((line) => /tentacles +1 \[d\]/.test(line)))
    })
  }

  it('installs signed packages from signed metadata, with what they require', async () => {
    await using dnf = await Dnf.open(checked())

    await dnf.lines('install', 'whale')

    assert.deepEqual(await dnf.installed(), ['walrus-5.21-1.noarch', whale])
    assert.equal(await readFile(join(dnf.root, 'usr/share/whale/1.0'), 'utf8'), 'whale\n')
  })

  it('refuses an unsigned package unless nothing is checked', async () => {
    await using dnf = await Dnf.open(checked())

    const refused = await dnf.run('install', 'narwhal')
    assert.notEqual(refused.code, 0)
    assert.match(refused.stderr + refused.stdout, /is not signed/)
    assert.deepEqual(await dnf.installed(), [])

    await dnf.saveRepositories({ baseurl: upstream.url('gz') })
    await dnf.lines('install', 'narwhal')
    assert.deepEqual(await dnf.installed(), ['narwhal-1.0-1.noarch'])
  })

  it('refuses a package with other bytes than the metadata says', async () => {
    const folder = await upstream.copy('gz', 'flipped')
    const path = join(folder, 'Packages/walrus-5.21-1.noarch.rpm')
    const bytes = await readFile(path)
    bytes[bytes.length - 20] = (bytes.at(-20) ?? 0) ^ 1
    await writeFile(path, bytes)
    await using dnf = await Dnf.open({ baseurl: upstream.url('flipped') })

    const { code, stderr } = await dnf.run('install', 'walrus')

    assert.notEqual(code, 0)
    assert.match(stderr, /walrus-5\.21-1\.noarch: Cannot download/)
    assert.deepEqual(await dnf.installed(), [])
  })

  it('refuses metadata that another key signed, or that changed after it was signed', async () => {
    await upstream.copy('gz', 'stranger')
    await upstream.sign('stranger', await upstream.gpg.createKey('stranger'))
    const changed = join(await upstream.copy('gz', 'changed'), 'repodata/repomd.xml')
    await writeFile(changed, `${await readFile(changed, 'utf8')}\n`)

    for (const name of ['stranger', 'changed']) {
      await using dnf = await Dnf.open(checked({ baseurl: upstream.url(name) }))
      const { code, stderr } = await dnf.run('makecache')
      assert.notEqual(code, 0)
      assert.match(stderr, /GPG|signature/i)

      await dnf.saveRepositories({ baseurl: upstream.url(name) })
      await dnf.lines('makecache')
    }
  })

  it('installs a group and an environment', async () => {
    await using dnf = await Dnf.open(checked())

    await dnf.lines('group', 'install', 'mammals')
    assert.deepEqual(await dnf.installed(), ['walrus-5.21-1.noarch', whale])

    await dnf.lines('group', 'install', 'ocean')
    assert.deepEqual(await dnf.installed(), ['crab-2.0-1.noarch', 'walrus-5.21-1.noarch', whale])
  })

  it('installs what a stream of a module names, the default one unless another is asked for', async () => {
    for (const [wanted, installed] of [
      ['tentacles', 'octopus-1.0-1.noarch'],
      ['tentacles:2', 'octopus-2.0-1.noarch'],
    ] as const) {
      await using dnf = await Dnf.open(checked())
      await dnf.lines('module', 'install', wanted)
      assert.deepEqual(await dnf.installed(), [installed])
    }
  })

  it('tells of advisories for what is installed', async () => {
    await using dnf = await Dnf.open(checked())
    await dnf.lines('install', 'walrus-0.71')

    const list = await dnf.lines('updateinfo', 'list')
    const info = await dnf.lines('updateinfo', 'info', '--security')
    await dnf.lines('upgrade', '--security')

    assert.match(list.join('\n'), /SEA-2024:0001 +Important\/Sec\. +walrus-5\.21-1\.noarch/)
    assert.match(info.join('\n'), /It is blunt now & safe/)
    assert.deepEqual(await dnf.installed(), ['walrus-5.21-1.noarch'])
  })

  it('copies a whole repository with its metadata', async () => {
    await using dnf = await Dnf.open(checked())
    const target = join(dnf.folder, 'copy')

    const args = ['--repoid=test', `--download-path=${target}`, '--download-metadata', '--norepopath']
    await dnf.lines('reposync', ...args)

    const [copied, made] = await Promise.all([target, join(upstream.folder, 'gz')].map(filesBelow))
    const outside = /^(images\/|\.treeinfo$)|repomd\.xml\.(asc|key)$/
    assert.deepEqual(
      copied?.filter((path) => !outside.test(path)),
      made?.filter((path) => !outside.test(path)),
    )
  })

  it('downloads packages without installing them', async () => {
    await using dnf = await Dnf.open(checked())
    const [alone, whole] = [join(dnf.folder, 'alone'), join(dnf.folder, 'whole')] as const

    await dnf.lines('download', `--destdir=${alone}`, 'whale')
    await dnf.lines('install', '--downloadonly', `--downloaddir=${whole}`, 'whale')

    assert.deepEqual(await readdir(alone), [`${whale}.rpm`])
    assert.deepEqual((await readdir(whole)).sort(), ['walrus-5.21-1.noarch.rpm', `${whale}.rpm`])
    assert.deepEqual(await dnf.installed(), [])
  })

  it('logs in where that is asked for, and goes through a proxy that asks for it too', async () => {
    const login = `Basic ${Buffer.from('sailor:secret').toString('base64')}`
    await using guard = await startUpstream(async ({ headers, url = '' }, response) => {
      if (headers.authorization !== login) return void response.writeHead(401).end()
      const answer = await fetch(new URL(url, upstream.nginx.url))
      return void response.writeHead(answer.status).end(Buffer.from(await answer.arrayBuffer()))
    })
    await using proxy = await startProxy('porter:key')
    const baseurl = `${guard.url}/gz/`
    const through = {
      proxy: proxy.url,
      proxy_username: 'porter',
      proxy_password: 'key',
      proxy_auth_method: 'basic',
    } as const

    await using stranger = await Dnf.open({ baseurl })
    assert.notEqual((await stranger.run('makecache')).code, 0)
    await using member = await Dnf.open({ baseurl, username: 'sailor', password: 'secret' })
    await member.lines('install', 'walrus')
    assert.equal(proxy.requests.length, 0)
    await using guest = await Dnf.open({ baseurl, username: 'sailor', password: 'secret', ...through })
    await guest.lines('install', 'walrus')

    for (const dnf of [member, guest]) assert.deepEqual(await dnf.installed(), ['walrus-5.21-1.noarch'])
    assert.ok(proxy.requests.some(({ url }) => url?.endsWith('/repodata/repomd.xml')))
  })

  for (const format of ['gzip', 'zstd'] as const) {
    it(`reads lists that consist of many pieces of ${format} as it reads those of one`, async () => {
      await using whole = await Dnf.open({ baseurl: upstream.url('gz') })
      const expected = await readAll(whole)
      assert.equal(expected['packages']?.length, packageSpecs.length)
      const name = `pieces-${format}`
      const folder = await upstream.copy('gz', name)
      if (format === 'zstd') await repackWithZstd(folder)
      let pieces = 0
      for (const [type, element] of [
        ['primary', 'package'],
        ['filelists', 'package'],
        ['other', 'package'],
        ['updateinfo', 'update'],
      ] as const) {
        await repackRecord(folder, type, (list) => {
          const packed = packInPieces(list, { element, perPiece: type === 'updateinfo' ? 1 : 2, format })
          pieces += packed.pieces
          return packed
        })
      }
      await upstream.sign(name)

      await using dnf = await Dnf.open(checked({ baseurl: upstream.url(name) }))
      assert.deepEqual(await readAll(dnf), expected)
      await dnf.lines('install', 'whale')

      assert.equal(pieces, 3 * (1 + 5 + 1) + (1 + 2 + 1))
      assert.deepEqual(await dnf.installed(), ['walrus-5.21-1.noarch', whale])
    })
  }
})

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  return files.map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1)).sort()
}
