import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { specificationPage } from '../../scripts/specification-table.ts'
import { repositoryEndpoints } from '../../src/content/repositories/repository-contract.ts'
import { repositorySearch } from '../../src/content/repositories/repository-search.ts'
import { uploadEndpoints } from '../../src/content/uploads/upload-contract.ts'
import { type SpecificationTable, specification } from './specification.ts'

type Schema = { properties?: Readonly<Record<string, Schema>>; anyOf?: readonly Schema[]; items?: Schema }

const { list, create, update, show, sync, types, removeContent } = repositoryEndpoints
const keysOf = (schema: unknown) => Object.keys((schema as Schema | undefined)?.properties ?? {})
const table = (title: string) => specification.find((each) => each.title === title) as SpecificationTable
const whats = (title: string) => table(title).rows.map(({ what }) => what)

function isTest(name: string): boolean {
  const [file, words = ''] = name.split(/: (.*)/s, 2) as [string, string?]
  const path = ['test/integration', 'test/clients', 'src/content/repositories']
    .map((folder) => new URL(`../../${folder}/${file}.test.ts`, import.meta.url))
    .find((url) => existsSync(url))
  return path !== undefined && words !== '' && readFileSync(path, 'utf8').includes(words)
}

describe('the specification', () => {
  for (const { title, rows } of specification) {
    it(`is held by tests that exist: ${title}`, () => {
      for (const { what, tests } of rows) {
        assert.ok(tests.length > 0, what)
        for (const test of tests) assert.ok(isTest(test), `${what} is said to be held by "${test}"`)
      }
    })
  }

  it('is as long as it is', () => {
    const lengths = specification.map(({ title, rows }) => [title, rows.length])
    assert.deepEqual(lengths, [
      ['Operations', 20],
      ['Parameters of lists', 28],
      ['Search fields', 17],
      ['Attributes, in create and update', 37],
      ['Other parameters', 21],
    ])
  })

  it('is known to the endpoints', () => {
    const endpoints = [...Object.values(repositoryEndpoints), ...Object.values(uploadEndpoints)]
    const addresses = endpoints.map(({ method, path }) => `${method} ${path}`)
    for (const what of whats('Operations')) assert.ok(addresses.includes(what), what)
    for (const what of whats('Parameters of lists')) assert.ok(keysOf(list.query).includes(what), what)
    const fields = repositorySearch.fields.flatMap(({ names }) => names)
    for (const what of whats('Search fields')) assert.ok(fields.includes(what), what)
    const fixed = ['label', 'product_id', 'content_type']
    for (const what of whats('Attributes, in create and update')) {
      assert.ok(keysOf(create.body).includes(what), what)
      assert.equal(keysOf(update.body).includes(what), !fixed.includes(what), what)
    }
  })

  it('is known to the endpoints also in its smaller parts', () => {
    const uploads = keysOf(uploadEndpoints.importUploads.body)
    const imported = keysOf((uploadEndpoints.importUploads.body as Schema).properties?.['uploads']?.items)
    const known = [
      ...keysOf(types.query).map((name) => `repository_types: ${name}`),
      ...keysOf(show.query).map((name) => `show: ${name}`),
      ...keysOf(sync.body).map((name) => `sync: ${name}`),
      ...keysOf(removeContent.body).map((name) => `remove_content: ${name}`),
      ...uploads.map((name) => `import_uploads: ${name}`),
      ...imported.map((name) => `import_uploads: uploads[${name}]`),
      // a form that is read as it comes has no schema
      'upload_content: content',
      'upload_content: content_type',
    ]
    for (const what of whats('Other parameters')) assert.ok(known.includes(what), what)
  })

  it('has its page; `npm run docs` writes it', async () => {
    const page = await readFile(new URL('../../docs/content/specification.md', import.meta.url), 'utf8')

    assert.equal(page, specificationPage())
  })
})
