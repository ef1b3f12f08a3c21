import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AppError } from '../../../../platform/errors.ts'
import { readFilelists, readOther } from './read-fragments.ts'
import { readPrimary } from './read-primary.ts'

const pkgid = 'ab'.repeat(32)
const parts = {
  name: '<name>foo</name>',
  arch: '<arch>x86_64</arch>',
  version: '<version epoch="1" ver="2.0" rel="3.el9"/>',
  checksum: `<checksum type="sha256" pkgid="YES">${pkgid}</checksum>`,
  summary: '<summary>A &amp; b</summary>',
  time: '<time file="1" build="1700000000"/>',
  size: '<size package="1234" installed="2" archive="3"/>',
  location: '<location href="Packages/f/foo.rpm"/>',
  format:
    '<format><rpm:sourcerpm>foo.src.rpm</rpm:sourcerpm><rpm:provides><rpm:entry name="a"/></rpm:provides></format>',
}

function list(packages: readonly string[], root = 'metadata', count = packages.length): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns:rpm="x" packages="${count}">\n${packages.join('\n')}\n</${root}>\n`
}

function element(changes: Partial<typeof parts> = {}): string {
  return `<package type="rpm">\n  ${Object.values({ ...parts, ...changes }).join('\n  ')}\n</package>`
}

async function* pieces(text: string | Uint8Array, pieceBytes = 1 << 20): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
}

async function primary(text: string | Uint8Array) {
  const batches = await Array.fromAsync(readPrimary(pieces(text)))
  return { packages: batches.flatMap(({ packages }) => packages), warning: batches.at(-1)?.warning, batches }
}

describe('readPrimary()', () => {
  it('gives fields, checksum, location, and the rest as it is written', async () => {
    const { packages, warning } = await primary(list([element()]))

    assert.equal(warning, undefined)
    assert.deepEqual(packages, [
      {
        fields: {
          name: 'foo',
          epoch: 1,
          version: '2.0',
          release: '3.el9',
          arch: 'x86_64',
          summary: 'A & b',
          sourceRpm: 'foo.src.rpm',
          sizeBytes: 1234,
          buildTime: 1_700_000_000,
        },
        checksum: { type: 'sha256', value: pkgid },
        location: { href: 'Packages/f/foo.rpm', base: undefined },
        fragment: {
          beforeChecksum: `\n  ${parts.name}\n  ${parts.arch}\n  ${parts.version}\n  `,
          beforeLocation: `\n  ${parts.summary}\n  ${parts.time}\n  ${parts.size}\n  `,
          afterLocation: `\n  ${parts.format}\n`,
        },
      },
    ])
  })

  it('takes the location before the checksum, too', async () => {
    const { packages } = await primary(list([element({ checksum: parts.location, location: parts.checksum })]))

    assert.equal(packages[0]?.checksum.value, pkgid)
    assert.equal(packages[0]?.fragment.beforeLocation, `\n  ${parts.summary}\n  ${parts.time}\n  ${parts.size}\n  `)
  })

  for (const [type, length, name] of [
    ['md5', 32, 'md5'],
    ['sha', 40, 'sha1'],
    ['SHA1', 40, 'sha1'],
    ['sha224', 56, 'sha224'],
    ['sha384', 96, 'sha384'],
    ['sha512', 128, 'sha512'],
  ] as const) {
    it(`takes ${type}`, async () => {
      const checksum = `<checksum type="${type}" pkgid="YES"> ${'AB'.repeat(length / 2)}\n</checksum>`
      const { packages } = await primary(list([element({ checksum })]))

      assert.deepEqual(packages[0]?.checksum, { type: name, value: 'ab'.repeat(length / 2) })
    })
  }

  it('takes a base, no epoch, no source package, no build time, and a dot before the location', async () => {
    const { packages } = await primary(
      list([
        element({
          version: '<version ver="1~rc1" rel="1^git"/>',
          location: '<location xml:base="https://elsewhere.example/x/" href="./a/foo%20bar.rpm"/>',
          format: '',
          time: '',
          summary: '',
        }),
      ]),
    )

    assert.deepEqual(packages[0]?.location, { href: 'a/foo%20bar.rpm', base: 'https://elsewhere.example/x/' })
    const { epoch, sourceRpm, summary, buildTime } = packages[0]?.fields ?? {}
    assert.deepEqual([epoch, sourceRpm, summary, buildTime], [0, '', '', 0])
  })

  it('gives packages that come twice twice, passes over what is no package, and warns of a wrong number', async () => {
    const others = '<package type="patch"><name>x</name></package><something/>'
    const { packages, warning } = await primary(list([element(), others, element()], 'metadata', 5))

    assert.equal(packages.length, 2)
    assert.equal(warning, 'primary.xml says that it has 5 packages and has 2')
  })

  it('gives batches of bounded size, and an empty one for an empty list', async () => {
    const { batches } = await primary(list(Array.from({ length: 600 }, () => element())))

    assert.deepEqual(
      batches.map(({ packages }) => packages.length),
      [250, 250, 100],
    )
    assert.deepEqual((await primary(list([]))).batches, [{ packages: [], announced: 0, warning: undefined }])
    assert.deepEqual((await primary('<metadata/>')).batches, [
      { packages: [], announced: undefined, warning: undefined },
    ])
  })

  for (const [what, changes, problem] of [
    ['no name', { name: '' }, /package 2 has no <name>/],
    ['an empty name', { name: '<name/>' }, /has no name/],
    ['two names', { name: parts.name + parts.name }, /\("foo"\) has <name> twice/],
    ['a slash in the name', { name: '<name>a/b</name>' }, /cannot be in a file's name/],
    ['a blank in the name', { name: '<name>a b</name>' }, /cannot be in a file's name/],
    ['a long name', { name: `<name>${'a'.repeat(257)}</name>` }, /256 characters/],
    ['a folder as architecture', { arch: '<arch>../x</arch>' }, /architecture/],
    ['no version', { version: '' }, /no <version>/],
    ['no release', { version: '<version epoch="0" ver="1"/>' }, /no release/],
    ['a slash in the version', { version: '<version ver="1/2" rel="1"/>' }, /version "1\/2"/],
    ['a line feed in the release', { version: '<version ver="1" rel="1&#10;2"/>' }, /release/],
    ['a negative epoch', { version: '<version epoch="-1" ver="1" rel="1"/>' }, /epoch/],
    ['a large epoch', { version: '<version epoch="4294967296" ver="1" rel="1"/>' }, /epoch/],
    ['an epoch that the database cannot hold', { version: '<version epoch="2147483648" ver="1" rel="1"/>' }, /epoch/],
    ['no checksum', { checksum: '' }, /no <checksum>/],
    ['a short checksum', { checksum: '<checksum type="sha256">abcd</checksum>' }, /sha256 that is none/],
    ['an unknown checksum', { checksum: '<checksum type="crc">abcd</checksum>' }, /unknown kind "crc"/],
    ['a checksum of an object', { checksum: '<checksum type="constructor">ab</checksum>' }, /unknown kind/],
    ['no hexadecimal checksum', { checksum: `<checksum type="md5">${'g'.repeat(32)}</checksum>` }, /md5 that is none/],
    ['no location', { location: '' }, /no <location>/],
    ['no href', { location: '<location/>' }, /is empty/],
    ['an absolute location', { location: '<location href="/etc/passwd"/>' }, /absolute/],
    ['a parent folder', { location: '<location href="a/../../b"/>' }, /".."/],
    ['a hidden parent folder', { location: '<location href="%2E%2e/b"/>' }, /".."/],
    ['a hidden slash', { location: '<location href="a/..%2fb"/>' }, /".."/],
    ['a URL as location', { location: '<location href="http://x/b"/>' }, /empty part/],
    ['a backslash', { location: '<location href="a\\b"/>' }, /backslash/],
    ['a base that is none', { location: '<location xml:base="x" href="b"/>' }, /no http or https URL/],
    ['a negative size', { size: '<size package="-1"/>' }, /size that is no number/],
    ['a size with a fraction', { size: '<size package="1.5"/>' }, /size/],
    ['a large size', { size: '<size package="9999999999999999"/>' }, /size/],
    ['no size', { size: '' }, /size/],
    ['a broken element', { summary: '<summary>' }, /does not end <summary>/],
    ['an entity', { summary: '<summary>&lol;</summary>' }, /"&"/],
  ] as const) {
    it(`refuses ${what} and names the package`, async () => {
      await assert.rejects(primary(list([element(), element(changes)])), (error: AppError) => {
        assert.equal(error.code, 'upstream')
        assert.match(error.message, problem)
        assert.match(error.message, /^Cannot read primary\.xml: /)
        return true
      })
    })
  }

  it('refuses every beginning of a list, and other documents', async () => {
    const text = list([element(), element()]).trimEnd()
    for (let length = 0; length < text.length; length++) await assert.rejects(primary(text.slice(0, length)), AppError)
    for (const other of ['<html></html>', '<filelists/>', list([element()], 'otherdata')])
      await assert.rejects(primary(other), { code: 'upstream', message: /its root is/ })
    await assert.rejects(primary(Buffer.from([0x3c, 0x61, 0xff])), { code: 'upstream', message: /not UTF-8/ })
    await assert.rejects(primary(list(['\0'])), { code: 'upstream', message: /control characters/ })
  })

  for (const [what, start, endless, problem] of [
    ['an attribute', '<metadata a="', 'aaaaaaaaaaaaaaaa', /attribute of more than/],
    ['a tag', '<metadata ', ' '.repeat(64), /tag of more than/],
    ['a name', '<metadata', 'a'.repeat(64), /tag of more than/],
    ['a comment', '<metadata><!--', ' '.repeat(64), /tag of more than/],
    ['a package', '<metadata><package>', '<file>a</file>', /elements|characters/],
    ['a text', '<metadata><package><name>', 'a'.repeat(64), /characters of text/],
    ['a hidden text', '<metadata><package><a><b><c>', 'a'.repeat(64), /more than 16777216 characters/],
    ['a list', '<metadata>', '<package type="patch"/>'.repeat(9), /tired/],
    ['a depth', '<metadata>', '<a>', /nested/],
  ] as const) {
    it(`reads ${what} without end in bounded memory`, async () => {
      const piece = Buffer.from(endless.repeat(Math.ceil(100_000 / endless.length)))
      async function* source() {
        yield Buffer.from(start)
        for (let given = 0; given < 1_000_000_000; given += piece.length) {
          if (what === 'a list' && given > 50_000_000) throw new AppError('upstream', 'tired')
          yield piece
        }
      }
      await assert.rejects(Array.fromAsync(readPrimary(source())), { code: 'upstream', message: problem })
    })
  }
})

describe('readFilelists() and readOther()', () => {
  const inner = `\n  <version ver="1"/>\n  <file type='dir'>/a &amp; b</file><!-- x -->\n  <file>/é</file>\n`
  const text = (root: string) =>
    list(
      [`<package pkgid="${pkgid.toUpperCase()}" name="foo" arch="x">${inner}</package>`, `<package pkgid="${pkgid}"/>`],
      root,
    )

  it('give what is in each package as it is written, wherever it is cut', async () => {
    const expected = {
      packages: [
        { pkgid, inner },
        { pkgid, inner: '' },
      ],
      announced: 2,
      warning: undefined,
    }
    for (const pieceBytes of [1, 3, 10, 100_000]) {
      assert.deepEqual(await Array.fromAsync(readFilelists(pieces(text('filelists'), pieceBytes))), [expected])
      assert.deepEqual(await Array.fromAsync(readOther(pieces(text('otherdata'), pieceBytes))), [expected])
    }
  })

  it('give packages with much text in small batches', async () => {
    const long = ' '.repeat(9_000_000)
    const packages = [1, 2, 3].map(() => `<package pkgid="${pkgid}">${long}</package>`)
    const batches = await Array.fromAsync(readFilelists(pieces(list(packages, 'filelists'), 65_000)))

    assert.deepEqual(
      batches.map((batch) => batch.packages.length),
      [2, 1],
    )
  })

  it('give a package that is longer than many pieces', async () => {
    const long = '<file>/usr/share/ä/b</file>\n'.repeat(100_000)
    const [batch] = await Array.fromAsync(
      readFilelists(pieces(list([`<package pkgid="${pkgid}">${long}</package>`], 'filelists'), 65_000)),
    )

    assert.ok(batch?.packages[0]?.inner === long)
  })

  it('refuse what is not well-formed, an id that is none, and every beginning', async () => {
    for (const [from, to] of [
      ['</file>', '</fil>'],
      ['&amp;', '&'],
      [pkgid.toUpperCase(), 'abc'],
      ['pkgid', 'id'],
    ] as const)
      await assert.rejects(Array.fromAsync(readFilelists(pieces(text('filelists').replace(from, to)))), {
        code: 'upstream',
        message: /^Cannot read filelists\.xml: /,
      })
    const whole = text('otherdata').trimEnd()
    for (let length = 0; length < whole.length; length++)
      await assert.rejects(Array.fromAsync(readOther(pieces(whole.slice(0, length)))), AppError)
  })
})
