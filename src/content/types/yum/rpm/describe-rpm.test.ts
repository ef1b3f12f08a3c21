import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempDisposable, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { lacksProgram } from '../../../../../test/support/programs.ts'
import { rpmBytes } from '../../../../../test/support/rpm-bytes.ts'
import { buildRpms } from '../../../../../test/support/rpm-fixtures.ts'
import { builtSamples, oddSamples } from '../../../../../test/support/rpm-samples.ts'
import { parseXml, type XmlTree } from '../../../../../test/support/xml-tree.ts'
import { renderFilelists, renderOther, renderPrimary } from '../packages/package-fragments.ts'
import { type DescribedRpm, describeRpm } from './describe-rpm.ts'
import { parseRpmHeaders } from './read-rpm-headers.ts'

const skip = lacksProgram('rpmbuild', 'createrepo_c')

const lists = ['primary', 'filelists', 'other'] as const

describe('describeRpm()', { skip }, () => {
  const real = new Map<string, Record<(typeof lists)[number], XmlTree>>()
  const packages = new Map<string, string[]>()
  let folder: Awaited<ReturnType<typeof mkdtempDisposable>>

  before(async () => {
    folder = await mkdtempDisposable(join(tmpdir(), 'backhaul-describe-'))
    for (const { what, spec, build } of builtSamples) {
      packages.set(what, await buildRpms(join(folder.path, 'rpms'), spec, build))
    }
    for (const { what, parts } of oddSamples) {
      const path = join(folder.path, 'rpms', `${what.replaceAll(' ', '-')}.rpm`)
      await writeFile(path, rpmBytes(parts))
      packages.set(what, [path])
    }
    await promisify(execFile)('createrepo_c', ['-q', '--general-compress-type=gz', join(folder.path, 'rpms')])
    await readLists(join(folder.path, 'rpms/repodata'))
  })

  after(() => folder.remove())

  async function readLists(repodata: string): Promise<void> {
    const names = await readdir(repodata)
    for (const list of lists) {
      const name = names.find((each) => each.endsWith(`-${list}.xml.gz`)) as string
      const { children } = parseXml(gunzipSync(await readFile(join(repodata, name))).toString())
      for (const each of children) {
        if (typeof each === 'string') throw new Error('Text between packages')
        const entry = real.get(idOf(each)) ?? ({} as Record<(typeof lists)[number], XmlTree>)
        real.set(idOf(each), { ...entry, [list]: each })
      }
    }
  }

  async function describePackage(path: string): Promise<DescribedRpm & { sha256: string }> {
    const bytes = await readFile(path)
    const { size, mtimeMs } = await stat(path)
    const described = describeRpm(parseRpmHeaders(bytes), { sizeBytes: size, fileTime: Math.floor(mtimeMs / 1000) })
    return { ...described, sha256: createHash('sha256').update(bytes).digest('hex') }
  }

  for (const { what } of [...builtSamples, ...oddSamples]) {
    it(`says what createrepo_c says of ${what}`, async () => {
      const paths = packages.get(what) ?? []
      assert.notEqual(paths.length, 0)
      for (const path of paths) {
        const { fields, fragments, sha256 } = await describePackage(path)
        const href = path.split('/').at(-1) as string
        const expected = real.get(sha256)
        assert.ok(expected, path)
        assert.deepEqual(parseXml(renderPrimary(fragments.primary, { sha256, href })), expected.primary)
        assert.deepEqual(parseXml(renderFilelists(fields, fragments.filelists, { sha256 })), expected.filelists)
        assert.deepEqual(parseXml(renderOther(fields, fragments.other, { sha256 })), expected.other)
      }
    })
  }
})

/** The checksum that joins the three lists. */
function idOf({ attributes, children }: XmlTree): string {
  if (attributes['pkgid'] !== undefined) return attributes['pkgid']
  for (const child of children) {
    if (typeof child !== 'string' && child.name === 'checksum') return String(child.children[0])
  }
  throw new Error('A package without checksum')
}
