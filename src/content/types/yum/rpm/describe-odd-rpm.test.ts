import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  type HeaderValue,
  headerBytes,
  indexEntry,
  leadBytes,
  leastMain,
  leastSignature,
  rpmBytes,
} from '../../../../../test/support/rpm-bytes.ts'
import { parseXml, type XmlTree } from '../../../../../test/support/xml-tree.ts'
import type { DependencyKind } from '../packages/package-details.ts'
import { renderFilelists, renderOther, renderPrimary } from '../packages/package-fragments.ts'
import { describeRpm } from './describe-rpm.ts'
import { parseRpmHeaders } from './read-rpm-headers.ts'

const file = { sizeBytes: 1, fileTime: 2 }

/** A package of which only this is known, beside what all have. */
function withMain(...values: readonly HeaderValue[]): Buffer {
  return rpmBytes({ signature: leastSignature, main: [...leastMain, ...values] })
}

describe('describeRpm() of what rpmbuild does not make', () => {
  const describeMain = (...values: readonly HeaderValue[]) => describeRpm(parseRpmHeaders(withMain(...values)), file)

  it('reads the whole paths that old packages have', () => {
    const { details } = describeMain(
      [1027, 8, ['/etc/a', '/usr/b']],
      [1030, 3, [0o100644, 0o040755]],
      [1037, 4, [64, 64]],
    )

    assert.deepEqual(details.files, [
      { path: '/etc/a', type: 'ghost' },
      { path: '/usr/b', type: 'dir' },
    ])
  })

  it('adds to old packages that they provide themselves, unless they say so', () => {
    const providesOf = (...values: readonly HeaderValue[]) =>
      describeMain(...values).details.dependencies.provides.map(({ name, version }) => [name, version])

    assert.deepEqual(providesOf([1047, 8, ['a']]), [
      ['a', ''],
      ['least', '1.0'],
    ])
    assert.deepEqual(providesOf([1047, 8, ['least']], [1112, 4, [8]], [1113, 8, ['1.0-1']]), [['least', '1.0']])
    assert.deepEqual(providesOf([63, 7, Buffer.alloc(16)]), [])
    assert.deepEqual(providesOf([1106, 4, [1]]), [])
  })

  it('reads dependencies without versions, as the oldest packages have them', () => {
    const { details } = describeMain([63, 7, Buffer.alloc(16)], [1047, 8, ['a', 'b']])

    assert.deepEqual(
      details.dependencies.provides.map(({ name, comparison }) => [name, comparison]),
      [
        ['a', ''],
        ['b', ''],
      ],
    )
  })

  it('reads weak dependencies of before rpm had them', () => {
    const strong = 2 ** 27
    const { dependencies } = describeMain(
      [1156, 8, ['s', 'r']],
      [1158, 4, [0, strong]],
      [1159, 8, ['e', 'u']],
      [1161, 4, [8, strong + 8]],
      [1160, 8, ['1', '2']],
    ).details
    const namesOf = (kind: DependencyKind) => dependencies[kind].map(({ name }) => name)

    assert.deepEqual([namesOf('suggests'), namesOf('recommends')], [['s'], ['r']])
    assert.deepEqual([namesOf('enhances'), namesOf('supplements')], [['e'], ['u']])
    assert.equal(dependencies.supplements[0]?.version, '2')
  })

  it('reads sizes of more than 32 bits', () => {
    const bytes = rpmBytes({ signature: [[271, 5, [2 ** 40]]], main: [...leastMain, [5009, 5, [2 ** 41 + 1]]] })
    const { details } = describeRpm(parseRpmHeaders(bytes), file)

    assert.equal(details.archiveBytes, 2 ** 40)
    assert.equal(details.installedBytes, 2 ** 41 + 1)
  })

  it('takes each text that is not UTF-8 for Latin-1, and the others for UTF-8', () => {
    const bytes = Buffer.concat([Buffer.from('ü\0'), Buffer.from('caf\xe9\0', 'latin1')])
    const main = headerBytes([...leastMain, [1047, 7, bytes]])
    const entry = main.indexOf(indexEntry(1047, 7, 0, 0).subarray(0, 8))
    main.writeUInt32BE(8, entry + 4)
    main.writeUInt32BE(2, entry + 12)
    const signature = headerBytes(leastSignature)
    const file = Buffer.concat([leadBytes(), signature, Buffer.alloc(-signature.length & 7), main])
    const { details } = describeRpm(parseRpmHeaders(file), { sizeBytes: 1, fileTime: 2 })

    assert.deepEqual(
      details.dependencies.provides.map(({ name }) => name),
      ['ü', 'café', 'least'],
    )
  })

  it('calls source packages src, those without all of their sources nosrc', () => {
    assert.equal(describeMain([1106, 4, [1]]).fields.arch, 'src')
    assert.equal(describeMain([1106, 4, [1]], [1051, 4, [0]]).fields.arch, 'nosrc')
    assert.equal(describeMain([1106, 4, [1]], [1052, 4, [0]]).fields.arch, 'nosrc')
    assert.equal(describeMain().fields.arch, 'noarch')
  })

  it('knows old source packages, which no tag tells apart, by the lead', () => {
    const main = leastMain.filter(([tag]) => tag !== 1044)
    const archOf = (isSource: boolean) =>
      describeRpm(parseRpmHeaders(rpmBytes({ signature: leastSignature, main, isSource })), file).fields.arch

    assert.deepEqual([archOf(true), archOf(false)], ['src', 'noarch'])
  })

  it('moves changelogs of one time behind each other', () => {
    const times = [31, 30, 30, 30, 20]
    const { details } = describeMain([1080, 4, times], [1081, 8, times.map(String)], [1082, 8, times.map(String)])

    assert.deepEqual(
      details.changelogs.map(({ time }) => time),
      [20, 30, 31, 32, 33],
    )
  })

  it('leaves no more blanks at the end of an author than a whole name of them', () => {
    const { details } = describeMain([1080, 4, [2, 1]], [1081, 8, ['A B   ', '   ']], [1082, 8, ['x', 'y']])

    assert.deepEqual(
      details.changelogs.map(({ author }) => author),
      [' ', 'A B'],
    )
  })

  it('names what is needed before, also by scripts around the whole transaction', () => {
    const flags = [32, 64, 128, 512, 1024, 256, 2048, 4096]
    const { details } = describeMain([1049, 8, flags.map(String)], [1048, 4, flags], [1050, 8, flags.map(() => '')])

    assert.deepEqual(
      details.dependencies.requires.filter(({ isPre }) => isPre).map(({ name }) => name),
      ['32', '64', '128', '512', '1024'],
    )
  })

  it('leaves out control characters, and writes what is special in XML so that it is read again', () => {
    const text = '\u0001 & <b> "q" \'a\' ]]> \t\r\n \u001b[0m\u007f\u0085\uffff\ufffe é 🙂'
    const clean = '& <b> "q" \'a\' ]]> \t\r\n [0m é 🙂'
    const { fields, details, fragments } = describeMain(
      [63, 7, Buffer.alloc(16)],
      [1004, 9, [text]],
      [1005, 6, text],
      [1047, 8, [text]],
      [1027, 8, [`/etc/${text}`]],
      [1080, 4, [1]],
      [1081, 8, [text]],
      [1082, 8, [text]],
    )
    const sha256 = 'ab'.repeat(32)
    const primary = parseXml(renderPrimary(fragments.primary, { sha256, href: 'a&b/"c".rpm' }))
    const filelists = parseXml(renderFilelists(fields, fragments.filelists, { sha256 }))
    const other = parseXml(renderOther(fields, fragments.other, { sha256 }))

    assert.equal(fields.summary, ` ${clean}`)
    assert.equal(details.description, fields.summary)
    assert.deepEqual(textsOf(primary, 'summary'), [fields.summary])
    assert.deepEqual(textsOf(primary, 'description'), [fields.summary])
    assert.deepEqual(textsOf(primary, 'file'), [`/etc/${fields.summary}`])
    assert.deepEqual(attributesOf(primary, 'rpm:entry'), [{ name: fields.summary }])
    assert.deepEqual(attributesOf(primary, 'location'), [{ href: 'a&b/"c".rpm' }])
    assert.deepEqual(textsOf(filelists, 'file'), [`/etc/${fields.summary}`])
    assert.deepEqual(textsOf(other, 'changelog'), [fields.summary])
    assert.deepEqual(attributesOf(other, 'changelog'), [{ author: fields.summary, date: '1' }])
  })
})

function elementsOf(tree: XmlTree, name: string): XmlTree[] {
  const inside = tree.children.flatMap((child) => (typeof child === 'string' ? [] : elementsOf(child, name)))
  return tree.name === name ? [tree, ...inside] : inside
}

function textsOf(tree: XmlTree, name: string): string[] {
  return elementsOf(tree, name).map(({ children }) => children.join(''))
}

function attributesOf(tree: XmlTree, name: string): object[] {
  return elementsOf(tree, name).map(({ attributes }) => ({ ...attributes }))
}
