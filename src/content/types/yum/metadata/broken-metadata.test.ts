import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inventPackages, makeMetadata } from '../../../../../bench/yum/made-metadata.ts'
import { SeededRandom } from '../../../../../test/support/seeded-random.ts'
import { AppError } from '../../../../platform/errors.ts'
import { readComps } from './read-comps.ts'
import { readFilelists, readOther } from './read-fragments.ts'
import { readMetalink } from './read-metalink.ts'
import { readMirrorlist } from './read-mirrorlist.ts'
import { readModules } from './read-modules.ts'
import { readPrimary } from './read-primary.ts'
import { readRepomd } from './read-repomd.ts'
import { readTreeinfo } from './read-treeinfo.ts'
import { readUpdateinfo } from './read-updateinfo.ts'

const sha256 = 'ab'.repeat(32)
const made = makeMetadata(inventPackages(3, 4))
const textOf = (content: Iterable<Buffer>) => Buffer.concat([...content]).toString()

type Reader = (content: AsyncIterable<Uint8Array>, bytes: Buffer) => unknown

const documents: readonly (readonly [string, string, Reader])[] = [
  ['primary', textOf(made.primary()), (content) => Array.fromAsync(readPrimary(content))],
  ['filelists', textOf(made.filelists()), (content) => Array.fromAsync(readFilelists(content))],
  ['other', textOf(made.other()), (content) => Array.fromAsync(readOther(content))],
  [
    'repomd',
    `<?xml version="1.0" encoding="UTF-8"?>\n<!-- x --><repomd><revision>1</revision><data type="primary"><checksum type="sha256">${sha256}</checksum><location href="a/b.gz"/><size>12</size></data></repomd>`,
    readRepomd,
  ],
  [
    'metalink',
    `<metalink><files><file name="repomd.xml"><verification><hash type="sha256">${sha256}</hash></verification><resources><url preference="9">http://a/repodata/repomd.xml</url></resources></file></files></metalink>`,
    readMetalink,
  ],
  [
    'updateinfo',
    `<updates><update type="security"><id>A</id><title>T &amp;&#65;</title><pkglist><collection><package name="a" version="1" release="2" epoch="0" arch="x"><sum type="sha256">${sha256}</sum></package></collection></pkglist></update></updates>`,
    (content) => Array.fromAsync(readUpdateinfo(content)),
  ],
  [
    'comps',
    '<!DOCTYPE comps PUBLIC "a" "b"><comps><group><id>g</id><name xml:lang="de">N</name><packagelist><packagereq type="default"><![CDATA[a]]></packagereq></packagelist></group></comps>',
    (content) => readComps(content),
  ],
  [
    'modules',
    `---\ndocument: modulemd\nversion: 2\ndata:\n  name: a\n  stream: "1"\n  version: 2\n  dependencies: [{requires: {platform: [el9]}}]\n  description: >-\n    x\n    y\n  profiles: &p {b: {rpms: [c]}}\n  other: *p\n...\n---\ndocument: modulemd-defaults\ndata: {module: a, profiles: {1: [b]}}\n`,
    (content) => Array.fromAsync(readModules(content)),
  ],
  [
    'treeinfo',
    `[general]\nfamily = a\n[checksums]\nimages/a = sha256:${sha256}\n[variant-a]\nrepository = ../b\n`,
    async (_, bytes) => readTreeinfo(bytes.toString()),
  ],
  [
    'mirrorlist',
    '# x\nhttps://a.example/b/\nhttp://c.example/d\n',
    async (_, bytes) => readMirrorlist(bytes.toString()),
  ],
]

/** Bytes that mean something in one of the formats. */
const signs = [...'<>&"\'/!?-[]{}=:;#%*| \n\r\t\0\u00ff\u0080x0'].map((sign) => sign.charCodeAt(0))

function spoil(bytes: Buffer, random: SeededRandom): Buffer {
  const at = random.below(bytes.length)
  const length = random.below(20)
  const sign = random.chance(0.7) ? random.pick(signs) : random.below(256)
  switch (random.below(4)) {
    case 0:
      return Buffer.concat([bytes.subarray(0, at), Buffer.from([sign]), bytes.subarray(at)])
    case 1:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)])
    case 2:
      return Buffer.concat([bytes.subarray(0, at + length), bytes.subarray(at)])
    default: {
      const changed = Buffer.from(bytes)
      changed[at] = sign
      return changed
    }
  }
}

describe('a reader of broken metadata', () => {
  for (const [name, text, read] of documents) {
    it(`reads ${name} or refuses it properly, whatever a few of its bytes are`, async () => {
      const random = new SeededRandom(20_261_121)
      let refused = 0
      for (let round = 0; round < 3000; round++) {
        let bytes: Buffer = Buffer.from(text)
        for (let changes = random.below(3); changes >= 0; changes--) bytes = spoil(bytes, random)
        const pieceBytes = 1 + random.below(bytes.length)
        async function* pieces() {
          for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
        }
        try {
          await read(pieces(), bytes)
        } catch (error) {
          refused += 1
          assert.ok(error instanceof AppError, `${String((error as Error).stack)}\n${bytes}`)
          assert.equal(error.code, 'upstream')
        }
      }

      assert.ok(refused > 0)
      await read(
        (async function* () {
          yield Buffer.from(text)
        })(),
        Buffer.from(text),
      )
    })
  }
})
