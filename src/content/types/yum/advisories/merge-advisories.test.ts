import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readUpdateinfo } from '../metadata/read-updateinfo.ts'
import { mergeAdvisories } from './merge-advisories.ts'

const entry = (name: string, more = '') =>
  `<package name="${name}" version="1" release="2" arch="noarch"${more}><filename>${name}.rpm</filename></package>`

const advisory = (title: string, inner: string) =>
  `<update type="security"><id>SEA-1</id><title>${title}</title>${inner}<description>a &lt; b</description></update>`

const listed = (...collections: readonly string[]) =>
  `<pkglist>${collections.map((inner, index) => `<collection short="c${index}">${inner}</collection>`).join('')}</pkglist>`

async function merged(...sources: readonly string[]) {
  const content = ReadableStream.from([Buffer.from(`<updates>${await mergeAdvisories(sources)}</updates>`)])
  const [found, ...others] = (await Array.fromAsync(readUpdateinfo(content))).flat()
  assert.deepEqual(others, [])
  const packages = found?.collections.map((each) => each.packages.map(({ name }) => name))
  return { title: found?.title, description: found?.description, packages }
}

describe('mergeAdvisories', () => {
  it('says what the newest says, with the packages of all', async () => {
    const newest = advisory('new', listed(entry('walrus') + entry('crab')))
    const older = advisory('old', listed(entry('crab', ' epoch="0"') + entry('whale'), entry('walrus')))
    const oldest = advisory('oldest', listed(entry('whale') + entry('crab', ' epoch="1"')))
    assert.deepEqual(await merged(newest, older, oldest), {
      title: 'new',
      description: 'a < b',
      packages: [['walrus', 'crab'], ['whale'], ['crab']],
    })
  })

  it('is the newest as it is written where the others have nothing more', async () => {
    const newest = advisory('new', listed(entry('walrus') + entry('crab')))
    assert.equal(await mergeAdvisories([newest]), newest)
    assert.equal(await mergeAdvisories([newest, advisory('old', listed(entry('crab'))), advisory('none', '')]), newest)
  })

  it('adds packages where the newest has no list of them, or an empty one', async () => {
    const older = advisory('old', listed(entry('walrus')))
    for (const inner of ['', '<pkglist/>', '<pkglist></pkglist >'])
      assert.deepEqual((await merged(advisory('new', inner), older)).packages, [['walrus']], inner)
  })
})
