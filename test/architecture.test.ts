import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { contentTypes } from '../src/content/types/index.ts'
import { filterKinds } from '../src/links/filters/filter-kinds.ts'
import { nodeKinds } from '../src/links/nodes/node-kinds.ts'
import { findViolations, importsOf, type Rules, readSources } from './support/architecture.ts'

const src = join(import.meta.dirname, '../src')

const platform = /^platform\//
const contracts = /-contract\.ts$/

/** A folder that matches `in` may always import itself. */
const rules: Rules = {
  folders: [
    { in: /^platform\//, may: [], why: 'the platform knows neither service' },
    { in: /^links\//, may: [platform], why: 'links stand on the platform alone' },
    { in: /^content\//, may: [platform], why: 'content stands on the platform alone' },
    {
      in: /^content\/types\/[^/]+\//,
      may: [/^content\/(?:content-type|unit-filter|repository-path)\.ts$/, platform],
      why: 'a content type knows what a type is, and no other type',
    },
    {
      in: /^links\/dataplane\//,
      may: [/^links\/filters\//, /^platform\/(errors|log|module-path)\.ts$/, /^platform\/native\//],
      why: 'the data plane knows no database and no HTTP',
    },
    { in: /^links\/filters\//, may: [/^platform\/errors\.ts$/], why: 'filters do no I/O' },
    {
      in: /^client\//,
      may: [contracts, /^platform\/(errors|http\/endpoint)\.ts$/],
      why: 'a client knows the contract, not the server',
    },
    {
      in: /^cli\//,
      may: [/^client\//, contracts, /^platform\/(errors|auth\/actor)\.ts$/],
      why: 'the command line can do nothing that the API cannot',
    },
    {
      in: /^(links|content)\/.*-contract\.ts$/,
      may: [
        contracts,
        /contract-parts\.ts$/,
        /\/(tables|node-kinds|types\/index)\.ts$/,
        /^platform\/(http|auth|tasks|search)\//,
      ],
      why: 'a contract knows no service and no store',
    },
    { in: /-store\.ts$/, may: [/^(?!.*-(service|routes|contract|presenter)\.ts$)/], why: 'stores are below services' },
    { in: /-service\.ts$/, may: [/^(?!.*-routes\.ts$)/], why: 'services are below routes' },
  ],
  packages: [
    { package: 'fastify', onlyIn: /^platform\/(http\/|platform\.ts$)|^content\/(serving\/|index\.ts$)|-routes\.ts$/ },
    { package: 'undici', onlyIn: /^platform\/fetch\// },
    {
      package: 'koffi',
      onlyIn: /^platform\/(data-folder|native)\/|^links\/dataplane\/native\/|^links\/filters\/libpcap\.ts$/,
    },
    { package: 'pg', onlyIn: /^platform\/(db|tasks|backup)\// },
    { package: 'pino', onlyIn: /^platform\/log\.ts$/ },
    { package: 'openpgp', onlyIn: /^content\/signing\// },
    { package: 'commander', onlyIn: /^(main\.ts$|cli\/)/ },
  ],
  texts: [
    {
      what: 'writes to the database',
      text: /\.(insertInto|updateTable|deleteFrom)\(/,
      in: /^(content|links)\//,
      onlyIn: /-store\.ts$/,
    },
    { what: 'reads the environment', text: /\bprocess\.env\b|\{ env \} = process/, in: /^/, onlyIn: /^main\.ts$/ },
  ],
  maxLines: 300,
}

describe('the source', () => {
  it('keeps every rule of the architecture', () => {
    assert.deepEqual(findViolations(readSources(src), rules), [])
  })

  it('is found where the rules look for it', () => {
    const paths = readSources(src).map(({ path }) => path)

    for (const rule of [...rules.folders, ...rules.texts]) {
      assert.ok(
        paths.some((path) => rule.in.test(path)),
        `no file matches ${rule.in}`,
      )
    }
    for (const { package: name, onlyIn } of rules.packages) {
      const users = readSources(src).filter(({ text }) => importsOf(text).includes(name))
      assert.ok(
        users.some(({ path }) => onlyIn.test(path)),
        `nobody uses ${name}`,
      )
    }
  })
})

describe('tests and programs', () => {
  for (const folder of ['test', 'scripts']) {
    it(`have no file of more than ${rules.maxLines} lines in ${folder}`, () => {
      const sources = readSources(join(src, '..', folder))

      assert.deepEqual(findViolations(sources, { ...rules, folders: [], packages: [], texts: [] }), [])
    })
  }
})

describe('the list of', () => {
  function filesWith(folder: string, text: RegExp): string[] {
    return readSources(join(src, folder))
      .filter((source) => text.test(source.text))
      .map(({ path }) => path)
      .sort()
  }

  function listedIn(list: string): string[] {
    return importsOf(readFileSync(join(src, list), 'utf8')).map((name) => name.replace('./', ''))
  }

  it('content types names every folder, and each of them has one of that name', () => {
    const folders = readdirSync(join(src, 'content/types'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)

    assert.deepEqual(contentTypes.map(({ name }) => name).sort(), folders.sort())
    assert.deepEqual(
      listedIn('content/types/index.ts')
        .filter((name) => name.endsWith('/index.ts'))
        .sort(),
      folders.map((name) => `${name}/index.ts`),
    )
  })

  it('node kinds names every file that describes one', () => {
    const files = filesWith('links/nodes', /^export const \w+: NodeKind = /m)

    assert.deepEqual(
      listedIn('links/nodes/node-kinds.ts')
        .filter((name) => files.includes(name))
        .sort(),
      files,
    )
    assert.equal(nodeKinds.length, files.length)
    assert.equal(new Set(nodeKinds.map(({ type }) => type)).size, nodeKinds.length)
  })

  it('filters names every file that describes one', () => {
    const files = filesWith('links/filters', /^export const \w+: FilterKind = /m)

    assert.deepEqual(
      listedIn('links/filters/filter-kinds.ts')
        .filter((name) => files.includes(name))
        .sort(),
      files,
    )
    assert.equal(filterKinds.length, files.length)
    assert.equal(new Set(filterKinds.map(({ type }) => type)).size, filterKinds.length)
  })
})

describe('the check of the rules', () => {
  for (const [path, text, violation] of [
    ['platform/a.ts', `import { x } from '../links/index.ts'`, /platform\/a\.ts imports links\/index\.ts/],
    ['platform/a/b.ts', `import type { Config } from '../../config.ts'`, /imports config\.ts/],
    ['links/a.ts', `import {\n  x,\n} from '../content/label.ts'`, /imports content\/label\.ts/],
    ['links/a.ts', `const x = await import('../content/label.ts')`, /imports content\/label\.ts/],
    ['content/a/b.ts', `export { x } from '../../links/index.ts'`, /imports links\/index\.ts/],
    ['content/a.ts', `import '../app.ts'`, /imports app\.ts/],
    ['content/types/deb/a.ts', `import { x } from '../file/manifest.ts'`, /imports content\/types\/file\/manifest\.ts/],
    ['content/types/deb/a.ts', `import { x } from '../../label.ts'`, /imports content\/label\.ts/],
    ['links/dataplane/process/a.ts', `import { x } from '../../lab.ts'`, /imports links\/lab\.ts/],
    ['links/dataplane/a.ts', `import { x } from '../../platform/db/database.ts'`, /no database and no HTTP/],
    ['links/filters/a.ts', `import { x } from '../dataplane/protocol.ts'`, /filters do no I\/O/],
    ['client/a.ts', `import { x } from '../content/products/product-service.ts'`, /knows the contract/],
    ['cli/a.ts', `import { x } from '../platform/db/database.ts'`, /the command line/],
    ['content/a/b-contract.ts', `import { x } from './b-service.ts'`, /a contract knows no service/],
    ['content/a/b-store.ts', `import { x } from './b-service.ts'`, /stores are below services/],
    ['content/a/b-service.ts', `import { x } from './b-routes.ts'`, /services are below routes/],
    ['content/a/b-service.ts', `import type { FastifyRequest } from 'fastify'`, /the package fastify/],
    ['content/a.ts', `import { request } from "undici"`, /the package undici/],
    ['links/a.ts', `import x from 'pg/lib/client.js'`, /the package pg\/lib/],
    ['content/a/b-service.ts', 'await db.insertInto("x").execute()', /writes to the database/],
    ['links/a.ts', 'const x = process.env.HOME', /reads the environment/],
    ['links/a.ts', 'x\n'.repeat(301), /has 301 lines/],
  ] as const) {
    it(`finds ${JSON.stringify(text).slice(0, 60)} in ${path}`, () => {
      const [found = '', ...others] = findViolations([{ path, text }], rules)

      assert.match(found, violation)
      assert.ok(others.every((other) => other.startsWith(path)))
    })
  }

  for (const [path, text] of [
    ['platform/a/b.ts', `import { x } from '../errors.ts'`],
    ['links/a.ts', `import { x } from '../platform/errors.ts'\nimport { y } from './b.ts'\nimport z from 'node:fs'`],
    ['content/types/deb/a.ts', `import { x } from './b/c.ts'\nimport { y } from '../../content-type.ts'`],
    ['links/dataplane/thread/a.ts', `import { x } from '../../filters/index.ts'`],
    ['app.ts', `import { x } from './links/index.ts'\nimport { y } from './content/index.ts'`],
    ['content/a/b-store.ts', 'await db.insertInto("x").execute()'],
    ['links/a.ts', 'x\n'.repeat(300)],
  ] as const) {
    it(`finds nothing wrong with ${JSON.stringify(text).slice(0, 60)} in ${path}`, () => {
      assert.deepEqual(findViolations([{ path, text }], rules), [])
    })
  }
})
