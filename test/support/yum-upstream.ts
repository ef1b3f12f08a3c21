import { createHash } from 'node:crypto'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Gpg } from './gpg.ts'
import { lacksNginx, type Nginx, startNginx } from './nginx.ts'
import { lacksProgram } from './programs.ts'
import { repackWithZstd } from './repomd.ts'
import { buildRpms, nativeArch, type RpmSpec, signRpms } from './rpm-build.ts'
import { output } from './run.ts'
import { comps, modules, treeinfo, updateinfo, vendorRecords } from './yum-samples.ts'

/** The reason to skip tests with repositories as distributions make them; false when they can be made. */
export const lacksYumUpstream =
  lacksNginx || lacksProgram('rpmbuild', 'rpmsign', 'createrepo_c', 'modifyrepo_c', 'gpg', 'gpgconf')

/** What `createrepo_c` of Debian 12 writes, and zstd, which later ones do. */
export const compressions = ['gz', 'bz2', 'xz', 'zst'] as const
export type Compression = (typeof compressions)[number]

/** Several versions, architectures, epochs and payloads; narwhal is the one that nobody signs. */
export const packageSpecs: readonly RpmSpec[] = [
  { name: 'walrus', version: '0.71', changes: ['First tusk'] },
  {
    name: 'walrus',
    version: '5.21',
    summary: 'The walrus with <two> tusks & a “beard”',
    files: ['/etc/walrus.conf', '/usr/bin/walrus'],
    changes: ['Blunt the tusks', 'Sharpen the tusks'],
    payload: 'w2.xzdio',
  },
  { name: 'whale', version: '1.0', arch: nativeArch, requires: ['walrus >= 0.71'], payload: 'w3.zstdio' },
  { name: 'whale', version: '1.0', arch: 'src' },
  { name: 'crab', version: '2.0~rc1', epoch: 1 },
  { name: 'crab', version: '2.0', epoch: 1 },
  { name: 'narwhal', version: '1.0' },
  { name: 'octopus', version: '1.0', modularityLabel: 'tentacles:1:20240101000001:c0ffee41' },
  { name: 'octopus', version: '2.0', modularityLabel: 'tentacles:2:20240101000002:c0ffee42' },
]
const unsigned = 'narwhal'

/** A folder of repositories that were made by the tools of distributions. */
export interface YumUpstream extends AsyncDisposable {
  /** Holds a repository for each compression, by its name, and `key.asc`. */
  readonly folder: string
  readonly gpg: Gpg
  /** The fingerprint of the key that packages and metadata are signed with. */
  readonly key: string
  readonly nginx: Nginx
  /** Ends with a slash. */
  url(repository: string): string
  readonly keyUrl: string
  /** A repository with the same content under another name, for changes. */
  copy(from: string, name: string): Promise<string>
  /** Signs what `repomd.xml` of a repository says now. */
  sign(repository: string, key?: string): Promise<void>
}

/** Makes one repository for each compression, all with the same packages and records, and serves them. */
export async function startYumUpstream(wanted: readonly Compression[] = ['gz']): Promise<YumUpstream> {
  await using opened = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'yum-upstream-'))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  const gpg = opened.use(await Gpg.open())
  const key = await gpg.createKey('distribution', { algorithm: 'rsa2048' })
  await writeFile(join(folder, 'key.asc'), await gpg.exportKeys(key))
  const packages = join(folder, 'packages')
  await buildPackages(packages, gpg, key)
  const sign = async (name: string, by = key) => signMetadata(join(folder, name), gpg, by)
  for (const compression of wanted) {
    await makeRepository(join(folder, compression), { packages, compression })
    await sign(compression)
  }
  const nginx = opened.use(await startNginx(folder))
  const kept = opened.move()
  return {
    folder,
    gpg,
    key,
    nginx,
    url: (name) => `${nginx.url}${name}/`,
    keyUrl: `${nginx.url}key.asc`,
    copy: async (from, name) => {
      await cp(join(folder, from), join(folder, name), { recursive: true })
      return join(folder, name)
    },
    sign,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

async function buildPackages(folder: string, gpg: Gpg, key: string): Promise<void> {
  const names = await buildRpms(folder, packageSpecs)
  const signed = names.filter((name) => !name.startsWith(unsigned))
  await signRpms(
    signed.map((name) => join(folder, name)),
    gpg,
    key,
  )
}

async function makeRepository(
  folder: string,
  { packages, compression }: { packages: string; compression: Compression },
): Promise<void> {
  await cp(packages, join(folder, 'Packages'), { recursive: true })
  const texts = { 'comps.xml': comps, 'modules.yaml': modules, 'updateinfo.xml': updateinfo, ...vendorRecords }
  for (const [name, text] of Object.entries(texts)) await writeFile(join(folder, name), text)
  const type = compression === 'zst' ? 'gz' : compression
  await output('createrepo_c', ['-q', '--no-database', `--general-compress-type=${type}`, '-g', 'comps.xml', folder])
  const repodata = join(folder, 'repodata')
  for (const name of ['modules', 'updateinfo', ...Object.keys(vendorRecords)]) {
    const file = Object.keys(texts).find((each) => each.replace(/\..*/, '') === name) ?? name
    const args = [`--mdtype=${name}`, `--compress-type=${type}`, join(folder, file), repodata]
    await output('modifyrepo_c', args)
  }
  for (const name of Object.keys(texts)) await rm(join(folder, name))
  if (compression === 'zst') await repackWithZstd(folder)
  await addTree(folder)
}

async function addTree(folder: string): Promise<void> {
  const digests = new Map<string, string>()
  for (const [path, sizeBytes] of [
    ['images/pxeboot/vmlinuz', 40_000],
    ['images/pxeboot/initrd.img', 70_000],
  ] as const) {
    const bytes = Buffer.alloc(sizeBytes, `${path}\n`)
    await mkdir(join(folder, 'images/pxeboot'), { recursive: true })
    await writeFile(join(folder, path), bytes)
    digests.set(path, sha256(bytes))
  }
  digests.set('repodata/repomd.xml', sha256(await readFile(join(folder, 'repodata/repomd.xml'))))
  await writeFile(join(folder, '.treeinfo'), treeinfo(digests))
}

async function signMetadata(folder: string, gpg: Gpg, key: string): Promise<void> {
  const repomd = join(folder, 'repodata/repomd.xml')
  await writeFile(`${repomd}.asc`, await gpg.sign(await readFile(repomd), key))
  await writeFile(`${repomd}.key`, await gpg.exportKeys(key))
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
