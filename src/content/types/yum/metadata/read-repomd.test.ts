import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AppError } from '../../../../platform/errors.ts'
import { kindOfAnswer } from './kind-of-answer.ts'
import { readMetalink } from './read-metalink.ts'
import { readMirrorlist } from './read-mirrorlist.ts'
import { findMetadata, readRepomd } from './read-repomd.ts'

const sha256 = 'ab'.repeat(32)

async function* pieces(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

function file(type: string, href: string, more = ''): string {
  return `<data type="${type}"><checksum type="sha256">${sha256}</checksum><location href="${href}"/>${more}</data>`
}

function repomd(...parts: readonly string[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?><repomd xmlns="x" xmlns:rpm="y"><revision>1700000000</revision>${parts.join('')}</repomd>`
}

const read = (text: string) => readRepomd(pieces(text))

describe('readRepomd()', () => {
  it('gives everything that is said of a file', async () => {
    const more = `<open-checksum type="sha">${'CD'.repeat(20)}</open-checksum><timestamp>1700000001.25</timestamp><size>12</size><open-size>34</open-size><database_version>10</database_version>`
    const tags = '<tags><content>binary-x86_64</content><repo>r</repo><distro cpeid="cpe:/o:x">X 1</distro></tags>'

    assert.deepEqual(await read(repomd(tags, file('primary', 'repodata/p.xml.gz', more))), {
      revision: '1700000000',
      tags: { content: ['binary-x86_64'], repo: ['r'], distro: [{ cpeId: 'cpe:/o:x', name: 'X 1' }] },
      records: [
        {
          type: 'primary',
          checksum: { type: 'sha256', value: sha256 },
          openChecksum: { type: 'sha1', value: 'cd'.repeat(20) },
          location: { href: 'repodata/p.xml.gz', base: undefined },
          timestamp: 1_700_000_001,
          sizeBytes: 12,
          openSizeBytes: 34,
        },
      ],
    })
  })

  it('leaves out what is for others, and keeps what it does not know', async () => {
    const types = ['primary', 'primary_db', 'primary_zck', 'productid', 'susedata.de']
    const { records } = await read(repomd(...types.map((type) => file(type, `repodata/${type}`))))

    assert.deepEqual(
      records.map(({ type }) => type),
      ['primary', 'productid', 'susedata.de'],
    )
  })

  it('finds the file of a type that is fast to open', async () => {
    for (const [offered, found] of [
      [['group|c.xml', 'group_gz|c.xml.gz', 'group_xz|c.xml.xz'], 'c.xml.gz'],
      [['group_gz|c.xml.gz', 'group_zst|c.xml.zst'], 'c.xml.zst'],
      [['group_xz|c.xml.xz', 'group|c.xml'], 'c.xml'],
      [['group_xz|c.xml.xz', 'group_bz2|c.bz2'], 'c.xml.xz'],
      [['groups|c.xml'], undefined],
    ] as const) {
      const parts = offered.map((each) => file(...(each.split('|') as [string, string])))
      assert.equal(findMetadata(await read(repomd(...parts)), 'group')?.location.href, found)
    }
  })

  for (const [what, part, problem] of [
    ['a type twice', file('a', 'b') + file('a', 'c'), /type "a" is named twice/],
    ['no type', file('', 'b'), /no word/],
    ['a folder as type', file('../a', 'b'), /no word/],
    ['a parent folder', file('a', '../b'), /type "a" has the location "..\/b"/],
    ['no location', `<data type="a"><checksum type="sha256">${sha256}</checksum></data>`, /is empty/],
    ['no checksum', '<data type="a"><location href="b"/></data>', /unknown kind/],
    ['a negative size', file('a', 'b', '<size>-1</size>'), /size that is no number/],
    ['an entity', '&x;', /"&"/],
  ] as const) {
    it(`refuses ${what}`, async () => {
      await assert.rejects(
        read(repomd(part)),
        (error: AppError) => error.code === 'upstream' && problem.test(error.message),
      )
    })
  }

  it('refuses every beginning, a long revision, and another document', async () => {
    const text = repomd(file('a', 'b'))
    for (let length = 0; length < text.length; length++) await assert.rejects(read(text.slice(0, length)), AppError)
    await assert.rejects(read(`<repomd><revision>${'1'.repeat(300)}</revision></repomd>`), { message: /revision/ })
    await assert.rejects(read('<html/>'), { code: 'upstream', message: /root is <html>/ })
  })
})

describe('readMirrorlist()', () => {
  it('gives the folders of repositories', () => {
    const text =
      '# by hand\nhttps://a.example/x/\r\n\nhttp://b.example/y/repodata/repomd.xml\nrsync://c.example/z/\nhttps://a.example/x?t=1\n'

    assert.deepEqual(readMirrorlist(text), ['https://a.example/x/', 'http://b.example/y/', 'https://a.example/x/?t=1'])
  })

  for (const text of [
    '',
    '# none\n',
    'rsync://a/b\n',
    'not a url\n',
    'https://\n',
    '<html>',
    'http://a b/\n',
    'x\n'.repeat(10_001),
  ])
    it(`refuses ${JSON.stringify(text.slice(0, 20))}`, () => {
      assert.throws(() => readMirrorlist(text), { code: 'upstream' })
    })
})

describe('readMetalink()', () => {
  const metalink = (inside: string, urls = '<url preference="90" location="DE">http://a/x/repodata/repomd.xml</url>') =>
    `<metalink xmlns="m" xmlns:mm0="n"><files><file name="repomd.xml">${inside}<resources maxconnections="1">${urls}</resources></file></files></metalink>`
  const one = (timestamp: number) =>
    `<mm0:timestamp>${timestamp}</mm0:timestamp><size>10</size><verification><hash type="md5">${'12'.repeat(16)}</hash><hash type="sha256">${sha256}</hash><hash type="x">1</hash></verification>`

  it('gives what repomd.xml must be, what it may be, and the mirrors, the best first', async () => {
    const urls = [
      '<url protocol="http" preference="5">http://b/y/repodata/repomd.xml</url>',
      '<url protocol="https" location="DE" preference="99">https://a/x/repodata/repomd.xml</url>',
      '<url protocol="rsync" preference="100">rsync://a/x/repodata/repomd.xml</url>',
      '<url preference="odd">https://c/other</url>',
    ].join('')
    const alternates = `<mm0:alternates><mm0:alternate>${one(9)}</mm0:alternate></mm0:alternates>`
    const checksums = [
      { type: 'md5', value: '12'.repeat(16) },
      { type: 'sha256', value: sha256 },
    ]

    assert.deepEqual(await readMetalink(pieces(metalink(one(10) + alternates, urls))), {
      repomd: { timestamp: 10, sizeBytes: 10, checksums },
      alternates: [{ timestamp: 9, sizeBytes: 10, checksums }],
      mirrors: [
        { url: 'https://a/x/', preference: 99, country: 'DE' },
        { url: 'http://b/y/', preference: 5, country: undefined },
      ],
    })
  })

  it('refuses one without checksum, without mirrors, without repomd.xml, and every beginning', async () => {
    for (const text of [metalink(''), metalink(one(1), ''), '<metalink><files/></metalink>', '<metalink/>', '<x/>'])
      await assert.rejects(readMetalink(pieces(text)), { code: 'upstream' })
    const whole = metalink(one(1))
    for (let length = 0; length < whole.length; length++)
      await assert.rejects(readMetalink(pieces(whole.slice(0, length))), AppError)
  })
})

describe('kindOfAnswer()', () => {
  for (const [text, kind] of [
    [repomd(), 'repomd'],
    ['<!-- x --><repomd>', 'repomd'],
    ['<?xml version="1.0"?>\n<!-- x -->\n<metalink version="3.0">', 'metalink'],
    ['# x\nhttps://a.example/b\n', 'mirrorlist'],
    ['<html><body>', 'something else'],
    ['<!DOCTYPE html>', 'something else'],
    ['not found', 'something else'],
    ['', 'something else'],
    ['<!---->'.repeat(10_000), 'something else'],
    ['<? >'.repeat(10_000), 'something else'],
  ] as const)
    it(`tells that ${JSON.stringify(text.slice(0, 30))} is ${kind}`, () => assert.equal(kindOfAnswer(text), kind))
})
