import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdtempDisposable, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { lacksProgram } from '../../../../../test/support/programs.ts'
import { type HeaderValue, headerBytes, leastMain, rpmBytes } from '../../../../../test/support/rpm-bytes.ts'
import { buildRpms } from '../../../../../test/support/rpm-fixtures.ts'
import { RpmSigner } from '../../../../../test/support/rpm-signing.ts'
import { SeededRandom } from '../../../../../test/support/seeded-random.ts'
import { AppError } from '../../../../platform/errors.ts'
import { describeRpm } from './describe-rpm.ts'
import { parseRpmHeaders } from './read-rpm-headers.ts'
import { verifyRpm } from './verify-rpm.ts'

const payload = Buffer.from('the payload of an old package')

/** A package with these digests of its own. */
function carrying(values: (main: Buffer) => readonly HeaderValue[], more: readonly HeaderValue[] = []): Buffer {
  const main = [...leastMain, ...more]
  return rpmBytes({ signature: [[1000, 4, [1]], ...values(headerBytes(main))], main, payload })
}

async function* streamOf(...chunks: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* chunks
}

function digest(algorithm: string, ...parts: readonly Buffer[]): string {
  return createHash(algorithm).update(Buffer.concat(parts)).digest('hex')
}

/** Reads all that can be read; throws what is no refusal. */
async function refusalOf(bytes: Buffer): Promise<void> {
  try {
    describeRpm(parseRpmHeaders(bytes), { sizeBytes: bytes.length, fileTime: 0 })
    await verifyRpm(streamOf(bytes))
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'invalid')) throw error
  }
}

describe('verifyRpm()', () => {
  it('compares MD5 of everything where there is nothing better', async () => {
    const good = carrying((main) => [[1004, 7, Buffer.from(digest('md5', main, payload), 'hex')]])
    const { verified } = await verifyRpm(streamOf(good))
    const bad = Buffer.concat([good.subarray(0, -1), Buffer.from('X')])

    assert.deepEqual(verified, { header: [], payload: ['md5'] })
    await assert.rejects(verifyRpm(streamOf(bad)), /^AppError: Cannot take the package: the md5 of its payload is/)
  })

  it('compares SHA-1 of the header', async () => {
    const good = carrying((main) => [[269, 6, digest('sha1', main)]])
    const bad = carrying(() => [[269, 6, digest('sha1')]])

    assert.deepEqual((await verifyRpm(streamOf(good))).verified, { header: ['sha1'], payload: [] })
    await assert.rejects(verifyRpm(streamOf(bad)), /the sha1 of its header is/)
  })

  it('compares digests of the payload of any algorithm, and passes over MD5 then', async () => {
    for (const [number, algorithm] of [
      [8, 'sha256'],
      [9, 'sha384'],
      [10, 'sha512'],
    ] as const) {
      const values: HeaderValue[] = [
        [5092, 8, [digest(algorithm, payload)]],
        [5093, 4, [number]],
      ]
      const bytes = carrying(() => [[1004, 7, Buffer.alloc(16)]], values)

      assert.deepEqual((await verifyRpm(streamOf(bytes))).verified.payload, [algorithm])
    }
  })

  it('says so when there is nothing to compare', async () => {
    const { verified, signatures } = await verifyRpm(streamOf(carrying(() => [])))

    assert.deepEqual({ verified, signatures }, { verified: { header: [], payload: [] }, signatures: [] })
  })

  it('lists signatures of all forms, known or not', async () => {
    const packet = Buffer.from('881303050000000000' + '0123456789abcdef' + '0108abcd', 'hex')
    const { signatures } = await verifyRpm(
      streamOf(
        carrying(() => [
          [278, 8, [packet.toString('base64'), 'AAAA']],
          [267, 7, packet],
          [1005, 7, packet],
        ]),
      ),
    )

    assert.deepEqual(
      signatures.map(({ covers, packet }) => [covers, packet?.createdAt]),
      [
        ['header', 0],
        ['header', undefined],
        ['header', 0],
        ['all', 0],
      ],
    )
  })

  it('ends its stream however it ends', async () => {
    let ends = 0
    async function* source(bytes: Buffer) {
      try {
        yield bytes
        yield Buffer.from('more')
      } finally {
        ends += 1
      }
    }
    await verifyRpm(source(carrying(() => [])))
    await assert.rejects(verifyRpm(source(carrying(() => [[269, 6, 'x']]))))
    await assert.rejects(verifyRpm(source(Buffer.alloc(96))))

    assert.equal(ends, 3)
  })
})

describe('verifyRpm() of what rpmbuild makes', { skip: lacksProgram('rpmbuild', 'rpmsign', 'gpg') }, () => {
  let folder: Awaited<ReturnType<typeof mkdtempDisposable>>
  let paths: string[]

  before(async () => {
    folder = await mkdtempDisposable(join(tmpdir(), 'backhaul-verify-'))
    const files = [{ path: '/usr/share/a', text: 'text\n'.repeat(50_000) }]
    paths = await buildRpms(folder.path, { name: 'verified', files }, { payload: 'w.ufdio' })
  })

  after(() => folder.remove())

  it('compares SHA-256 of the header and of the payload', async () => {
    const { verified, signatures, headers } = await verifyRpm(createReadStream(paths[0] as string))

    assert.deepEqual(verified, { header: ['sha256', 'sha1'], payload: ['sha256'] })
    assert.deepEqual(signatures, [])
    assert.equal(headers.main.findText(1000), 'verified')
  })

  it('refuses it with another byte in its header or its payload, with less and with more of it', async () => {
    const bytes = await readFile(paths[0] as string)
    const { range } = parseRpmHeaders(bytes)
    for (const at of [range.end - 1, range.end, range.end + 100_000, bytes.length - 1]) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] as number) ^ 1
      await assert.rejects(verifyRpm(streamOf(changed)), { code: 'invalid' }, String(at))
    }
    await assert.rejects(verifyRpm(streamOf(bytes.subarray(0, -1))), /sha256 of its payload/)
    await assert.rejects(verifyRpm(streamOf(bytes, Buffer.from('x'))), /sha256 of its payload/)
  })

  it('is read or refused, whichever byte differs and wherever it ends', async () => {
    const [path] = (await buildRpms(folder.path, { name: 'small', files: [{ path: '/etc/x', kind: 'config' }] })) as [
      string,
    ]
    const bytes = await readFile(path)
    const random = new SeededRandom(6)
    for (let round = 0; round < 3000; round += 1) {
      const changed = Buffer.from(bytes.subarray(0, random.chance(0.1) ? random.below(bytes.length) : bytes.length))
      changed[random.below(changed.length)] = random.pick([0, 1, 255, random.below(256)])
      await refusalOf(changed)
    }
  })

  for (const algorithm of ['rsa2048', 'ed25519']) {
    it(`says who signed it with ${algorithm}`, async () => {
      await using signer = await RpmSigner.create(algorithm)
      const [path] = (await buildRpms(folder.path, { name: `signed-${algorithm}` })) as [string]
      const before = Math.floor(Date.now() / 1000)
      await signer.sign(path)
      const { signatures, verified } = await verifyRpm(createReadStream(path))

      assert.deepEqual(verified, { header: ['sha256', 'sha1'], payload: ['sha256'] })
      assert.ok(signatures.some(({ covers }) => covers === 'header'))
      for (const { packet } of signatures) {
        assert.equal(packet?.keyId, signer.fingerprint.slice(-16))
        assert.equal(packet?.fingerprint, signer.fingerprint)
        assert.ok((packet?.createdAt ?? 0) >= before)
      }
    })
  }
})
