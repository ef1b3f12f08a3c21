import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { syncToEnd } from '../support/content.ts'
import type { Json } from '../support/json.ts'
import {
  type MadePackage,
  type MadeRecord,
  MadeUpstream,
  madeFiles,
  madePackage,
  primaryElement,
  publishedPathOf,
} from '../support/made-yum.ts'
import { lacksProgram } from '../support/programs.ts'
import { packers, type Spoil, withList, withRecord, withRepomd, withText } from '../support/spoilt-yum.ts'
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

type Case = readonly [what: string, spoil: Spoil, message: RegExp]

const half = (bytes: Buffer) => bytes.subarray(0, Math.floor(bytes.length / 2))
const wrongDigest = 'ab'.repeat(32)

const indexCases: readonly Case[] = [
  ['cuts repomd.xml', withRepomd((text) => text.slice(0, 300)), /repomd\.xml: it ends too early/],
  ['has an empty repomd.xml', withRepomd(() => ''), /repomd\.xml: it ends too early/],
  ['answers with a page', withRepomd(() => '<!DOCTYPE html><html><body>Hello</body></html>'), /its root is <html>/],
  [
    'names a list twice in repomd.xml',
    withRepomd((text) => text.replace('type="filelists"', 'type="primary"')),
    /"primary" is named twice/,
  ],
  ['names no list of files', withRepomd((text) => text.replace('type="filelists"', 'type="x"')), /names no filelists/],
  [
    'has a list in a folder above',
    withRepomd((text) => text.replace(/href="repodata/, 'href="../../repodata')),
    /location "\.\.\/\.\./,
  ],
  [
    'has a list on this machine',
    withList('primary', () => ({ base: 'file:///etc/' })),
    /base "file:\/\/\/etc\/", which is no http/,
  ],
  [
    'sends more of repomd.xml than anybody can want',
    () => ({ answer: (path, response) => path.endsWith('repomd.xml') && response.end(Buffer.alloc(17_000_000, ' ')) }),
    /repomd\.xml: it has more than 16777216 bytes/,
  ],
  [
    'leads from one address to the next for a list',
    () => ({
      answer: (path, response) =>
        path.includes('filelists') && response.writeHead(302, { location: `${path.split('/')[1]}x` }).end(),
    }),
    /filelists.*10 redirects/,
  ],
  [
    'has its list below a base that leads in circles',
    (packages, url) => ({
      ...withList('other', () => ({ base: `${url}circle` }))(packages, url),
      answer: (path, response) => path.startsWith('circle') && response.writeHead(301, { location: '?' }).end(),
    }),
    /other.*10 redirects/,
  ],
]

const elementCases: readonly Case[] = [
  [
    'says that there are more packages',
    withText('primary', (text) => text.replace('packages="2"', 'packages="3"')),
    /primary\.xml says that it has 3 packages and has 2/,
  ],
  [
    'says that there are fewer packages',
    withText('primary', (text) => text.replace('packages="2"', 'packages="1"')),
    /primary\.xml says that it has 1 packages and has 2/,
  ],
  [
    'gives one package two names',
    withText('primary', (text, [, young]) => {
      const second = primaryElement({ ...(young as MadePackage), name: 'newer' })
      return text.replace('packages="2"', 'packages="3"').replace('</metadata>', `${second}</metadata>`)
    }),
    /new-1\.0-1.* and .*newer-1\.0-1.* cannot both be the package of/,
  ],
  [
    'has an epoch that is none',
    withText('primary', (text) => text.replaceAll('epoch="0"', 'epoch="4000000000"')),
    /package \("new"\) has the epoch "4000000000"/,
  ],
  [
    'has a package with a path for a name',
    withText('primary', (text) => text.replace('<name>new', '<name>../new')),
    /package \("\.\.\/new"\).*which cannot be in a file's name/,
  ],
  [
    'has a package on this machine',
    withText(
      'primary',
      (_, [old]) => `<metadata>${primaryElement({ ...(old as MadePackage), locationBase: 'file:///' })}`,
    ),
    /base "file:\/\/\/"/,
  ],
  [
    'has entities that grow',
    withText('primary', (text) => text.replace('?>', '?><!DOCTYPE x [<!ENTITY a "aaa"><!ENTITY b "&a;&a;">]>')),
    /primary\.xml: it has a DOCTYPE with more than a name/,
  ],
  [
    'has an entity of its own',
    withText('primary', (text) => text.replace('What new', '&b; new')),
    /"&" that begins no/,
  ],
  [
    'nests elements without end',
    withText('primary', (text) => text.replace(/(?<=What new.*)<description\/>/s, '<a>'.repeat(100_000))),
    /nested more than 32 deep/,
  ],
  [
    'has an attribute of megabytes',
    withText('filelists', (text) => text.replace('name="new" ', `name="new" x="${'x'.repeat(8_000_000)}" `)),
    /filelists\.xml: .*(tag|attribute) of more than/,
  ],
  [
    'has a text of megabytes',
    withList('primary', ({ text }) => ({
      text: String(text).replace('What new', 'x'.repeat(17_000_000)),
      pack: (bytes) => bytes,
    })),
    /has more than 16777216 characters/,
  ],
  [
    'is not in UTF-8',
    withList('other', ({ text }) => ({ text: Buffer.from(`${text}`.replace('Made new', '\u00e9'), 'latin1') })),
    /other\.xml.*UTF-8/,
  ],
]

function listCases(list: string, kind: string): readonly Case[] {
  const pack = packers[kind] as (text: Buffer) => Buffer
  const about = (words: string) => new RegExp(`${list}\\.xml${words}`)
  return [
    ['is cut in the middle', withText(list, (text) => text.slice(0, -30)), about(': it ends too early')],
    [
      `is cut in the middle of ${kind}, and nobody knows`,
      withList(list, () => ({ pack: (text) => half(pack(text)), openChecksum: null, openSize: null })),
      about(': '),
    ],
    [
      'has another checksum',
      withList(list, ({ text }) => ({ served: gzipSync(`${text}\n`), size: null })),
      about(' from http.*its sha256 is \\w+ instead of'),
    ],
    [
      'has another checksum when it is open',
      withList(list, () => ({ openChecksum: wrongDigest })),
      about(`: repomd.xml says that its sha256 when open is ${wrongDigest}, and it is`),
    ],
    ['has another size', withList(list, () => ({ size: 12 })), about(': http.* announces \\d+ bytes instead of 12')],
    ['has more in it than is said', withList(list, () => ({ openSize: 99 })), about(': it has more than 99 bytes')],
    [
      'has less in it than is said',
      withList(list, () => ({ openSize: 99_999 })),
      about(': repomd.xml says that it has 99999 bytes when open'),
    ],
    [
      'is not there',
      () => ({ answer: (path, response) => path.includes(list) && response.writeHead(404).end() }),
      about('.*404'),
    ],
    [
      'names other packages',
      withText(list, (text) => text.replace(/pkgid="\w+" name="new/, `pkgid="${wrongDigest}" name="new`)),
      about(' says nothing of the package'),
    ],
  ]
}

const bombs = Object.entries(packers)
  .filter(([kind]) => kind !== 'nothing' && !(['xz', 'bzip2'].includes(kind) && lacksProgram(kind) !== false))
  .map(([kind, pack]): Case => {
    const bomb = (text: string) =>
      text.replace('<description/>', `<description>${' '.repeat(40_000_000)}</description>`)
    const change = ({ text }: MadeRecord) => ({ text: bomb(String(text)), pack, openSize: null, openChecksum: null })
    return [
      `is much made of little ${kind}`,
      withList('primary', change),
      /primary\.xml: .*(has|package of) more than \d+/,
    ]
  })

const moduleText = '---\ndocument: modulemd\nversion: 2\ndata:\n  name: "a'
const laughs = Array.from({ length: 30 }, (_, index) => `  x${index + 1}: &x${index + 1} [*x${index},*x${index}]\n`)
const recordCases: readonly Case[] = [
  ['groups are cut', withRecord({ type: 'group', text: '<comps><group><id>a</id>' }), /comps\.xml: it ends too early/],
  ['advisories are cut', withRecord({ type: 'updateinfo', text: '<updates>' }), /updateinfo\.xml: it ends too early/],
  ['modules are cut', withRecord({ type: 'modules', text: moduleText }), /modules\.yaml: document 1: Missing closing/],
  [
    'modules grow when they are read',
    withRecord({ type: 'modules', text: `${moduleText}"\n  x0: &x0 [a]\n${laughs.join('')}` }),
    /modules\.yaml: document 1: Excessive alias count/,
  ],
  [
    'advisories have another checksum when they are open',
    withRecord({ type: 'updateinfo', text: '<updates></updates>', openChecksum: wrongDigest }),
    /updateinfo\.xml: repomd\.xml says that its sha256 when open is/,
  ],
  [
    'a file that nobody knows has another checksum',
    withRecord({ type: 'productid', text: 'text', checksum: wrongDigest }),
    /productid\.xml from http.*its sha256 is/,
  ],
]

const wrongIdIsAnothers = ([what]: Case) => what !== 'names other packages'
const groups: Readonly<Record<string, readonly Case[]>> = {
  'its index': indexCases,
  'an element': elementCases,
  'the first list': listCases('primary', 'nothing').filter(wrongIdIsAnothers),
  'the list of files': listCases('filelists', 'gzip'),
  'the list of changes': listCases('other', 'zstd'),
  'what is beside the lists': recordCases,
  'a list': bombs,
}

describe('a sync of packages ends with a clear word, keeps what was served and can be run again when', {
  concurrency: true,
}, () => {
  for (const [which, cases] of Object.entries(groups))
    describe(which, { concurrency: 1 }, () => {
      const folder = which.replaceAll(' ', '-')
      const packages = [madePackage('old'), madePackage('new')] as const
      let repository: Json
      let good: Awaited<ReturnType<typeof servedPackages>>
      before(async () => {
        upstream.folders.set(folder, madeFiles([packages[0]]))
        const attributes = { content_type: 'yum', url: upstream.url(folder), download_policy: 'on_demand' }
        repository = await lab.createRepository({}, attributes)
        assert.equal((await syncToEnd(lab.server, repository.id)).result, 'success')
        good = await servedPackages(lab.server, repository)
      })

      for (const [what, spoil, message] of cases)
        it(what, async () => {
          const { files = madeFiles(packages), answer = () => false } = spoil(packages, upstream.url(folder))
          upstream.folders.set(folder, files)
          upstream.answers.set(folder, answer)

          const task = await syncToEnd(lab.server, repository.id)

          assert.equal(task.result, 'error', JSON.stringify(task.output))
          assert.match(task.humanized.errors.join('; '), message)
          assert.deepEqual(await servedPackages(lab.server, repository), good)
        })

      it('is mended, and then is taken', async () => {
        upstream.answers.delete(folder)
        upstream.folders.set(folder, madeFiles(packages))

        const task = await syncToEnd(lab.server, repository.id)

        assert.equal(task.result, 'success', task.humanized.errors.join())
        assert.deepEqual([task.output.added, task.output.removed], [1, 0])
        const served = await servedPackages(lab.server, repository)
        assert.ok(served instanceof Map && served.has(publishedPathOf(packages[1])))
      })
    })
})

describe('what such syncs leave behind', () => {
  it('is nothing', async () => {
    const folder = join(lab.server.folder, 'data', 'blobs', 'tmp')
    await waitUntil('nothing is half-done', async () => (await readdir(folder)).length === 0)
    const { rows } = await lab.server.database.database.pool.query(`
      select (select count(*) from rpm_units)::int as packages, (select count(*) from rpm_packs p
        where not exists (select 1 from rpm_units u where u.pack_id = p.id))::int as packs`)
    assert.deepEqual(rows, [{ packages: 2 * Object.keys(groups).length, packs: 0 }])
  })
})
