import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Json } from '../support/json.ts'
import { createMembers, loginOf } from '../support/members.ts'
import { ViewLab } from '../support/view-lab.ts'

/**
 * Repositories a and b, and c that no view has. View V with a and b: 1.0 in Dev, 2.0 in Library. View W with a: 1.0 in Library
 * and Dev. The organization of strangers has a repository z in a view Z.
 */
let lab: ViewLab
const ids: Record<string, number> = {}
before(async () => {
  lab = await ViewLab.start()
  await createMembers(lab.server)
  const [a, b, c] = [
    await lab.createRepository({ f: 'a' }),
    await lab.createRepository({ g: 'b' }),
    await lab.createRepository(),
  ]
  for (const [name, { id }] of Object.entries({ a, b, c })) {
    await lab.server.ask(`/content/api/repositories/${id}`, { method: 'PUT', body: { name } })
    ids[name] = id
  }
  const dev = await lab.createEnvironment('Dev')
  const v = await lab.createView({ name: 'V', repositories: [a, b] })
  const w = await lab.createView({ name: 'W', repositories: [a] })
  ids['V1'] = await lab.publish(v)
  await lab.promote(ids['V1'], [dev])
  ids['V2'] = await lab.publish(v)
  ids['W1'] = await lab.publish(w)
  await lab.promote(ids['W1'], [dev])
  const organization = await lab.create('organizations', { name: 'Elsewhere' })
  const product = await lab.create('products', { organization_id: organization.id, name: 'Z' })
  const z = await lab.create('repositories', { product_id: product.id, name: 'z', content_type: 'file' })
  const views = `organizations/${organization.id}/content_views`
  const other = await lab.create(views, { name: 'Z', repository_ids: [z.id] })
  ids['Z1'] = await lab.publish(other)
  const [unit] = (await lab.show(`files?repository_id=${a.id}`)).results
  Object.assign(ids, { Dev: dev.id, V: v.id, W: w.id, Z: other.id, z: z.id, Elsewhere: organization.id, unit: unit.id })
  const { default_content_view_id: view, library_id } = await lab.show('organizations/1')
  Object.assign(ids, { Default: view, Library: library_id, product: a.product.id })
})
after(() => lab[Symbol.asyncDispose]())

/** Where a repository is: `a` in Library, `a V 1.0` archived, `a V 1.0 Dev`. */
function placeOf({
  name,
  kt_environment: environment,
  content_view_version: version,
  library_instance_id,
}: Json): string {
  if (library_instance_id === null) return name
  return [name, version.name, environment?.name].filter((word) => word !== undefined).join(' ')
}

type Query = Readonly<Record<string, string | true>>

async function places(query: Query, as?: string): Promise<string[] | number> {
  const parameters = Object.entries(query).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? (ids[value] ?? value) : value}`,
  )
  const path = `/content/api/repositories?full_result=true&${parameters.join('&')}`
  const { status, body } = await lab.server.ask(path, as === undefined ? {} : { as })
  return status === 200 ? body.results.map(placeOf).sort() : status
}

const libraries = ['a', 'b', 'c']
const v1 = ['a V 1.0', 'a V 1.0 Dev', 'b V 1.0', 'b V 1.0 Dev']
const v2 = ['a V 2.0', 'a V 2.0 Library', 'b V 2.0', 'b V 2.0 Library']
const w1 = ['a W 1.0', 'a W 1.0 Dev', 'a W 1.0 Library']
const inDev = ['a V 1.0 Dev', 'a W 1.0 Dev', 'b V 1.0 Dev']
const inLibrary = ['a V 2.0 Library', 'a W 1.0 Library', 'b V 2.0 Library']

/** What lists give to those who see the first organization alone. */
const rows: readonly (readonly [Query, readonly string[]])[] = [
  [{}, libraries],
  [{ organization_id: '1' }, libraries],
  [{ product_id: 'product' }, ['a']],
  [{ environment_id: 'Dev' }, inDev],
  [{ environment_id: 'Library' }, [...libraries, ...inLibrary]],
  [{ environment_id: 'Dev', library: true }, ['a', 'b']],
  [{ environment_id: 'Library', library: true }, libraries],
  [{ library: true }, libraries],
  [{ library: true, organization_id: '1' }, libraries],
  [{ content_view_version_id: 'V1' }, v1],
  [{ content_view_version_id: 'V2' }, v2],
  [{ content_view_version_id: 'W1' }, w1],
  [{ content_view_version_id: 'V1', archived: true }, ['a V 1.0', 'b V 1.0']],
  [{ content_view_version_id: 'V1', library: true }, ['a', 'b']],
  [{ content_view_version_id: 'W1', library: true }, ['a']],
  [{ content_view_version_id: 'V1', environment_id: 'Dev' }, ['a V 1.0 Dev', 'b V 1.0 Dev']],
  [{ content_view_version_id: 'V1', environment_id: 'Library' }, []],
  [{ content_view_version_id: 'V1', product_id: 'product' }, ['a V 1.0', 'a V 1.0 Dev']],
  [{ content_view_id: 'V' }, ['a', 'b']],
  [{ content_view_id: 'W' }, ['a']],
  [{ content_view_id: 'Default' }, libraries],
  [{ content_view_id: 'V', library: true }, ['a', 'b']],
  [{ content_view_id: 'V', environment_id: 'Dev' }, ['a V 1.0 Dev', 'b V 1.0 Dev']],
  [{ content_view_id: 'V', environment_id: 'Library' }, ['a V 2.0 Library', 'b V 2.0 Library']],
  [{ content_view_id: 'Default', environment_id: 'Library' }, libraries],
  [{ content_view_id: 'V', environment_id: 'Dev', library: true }, ['a', 'b']],
  [{ content_view_id: 'V', available_for: 'content_view' }, ['c']],
  [{ content_view_id: 'W', available_for: 'content_view' }, ['b', 'c']],
  [{ content_view_id: 'Default', available_for: 'content_view' }, []],
  [
    { content_view_id: 'V', available_for: 'content_view_version' },
    ['a V 1.0 Dev', 'a V 2.0 Library', 'b V 1.0 Dev', 'b V 2.0 Library'],
  ],
  [{ available_for: 'content_view_version' }, [...libraries, ...inDev, ...inLibrary]],
  [
    { available_for: 'content_view_version', file_id: 'unit' },
    ['a', 'a V 1.0 Dev', 'a V 2.0 Library', 'a W 1.0 Dev', 'a W 1.0 Library'],
  ],
  [{ available_for: 'content_view' }, libraries],
  [{ environment_id: 'Dev', with_content: 'file' }, inDev],
  [{ content_view_version_id: 'V1', name: 'b' }, ['b V 1.0', 'b V 1.0 Dev']],
  [{ content_view_version_id: 'V1', search: 'name=b' }, ['b V 1.0', 'b V 1.0 Dev']],
  [{ search: `content_view_id=%22V%22` }, []],
]

describe('the list of repositories', () => {
  for (const [query, expected] of rows) {
    const asked = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
    )
    it(`gives exactly what is there: ${asked.size === 0 ? 'nothing said' : decodeURIComponent(String(asked))}`, async () => {
      const sorted = [...expected].sort()
      for (const member of ['viewer', 'editor', 'manager'] as const)
        assert.deepEqual(await places(query, loginOf(member)), sorted)
      const scoped = ['organization_id', 'product_id', 'content_view_id', 'environment_id', 'content_view_version_id']
      const isScoped = scoped.some((name) => name in query)
      assert.deepEqual(await places(query, loginOf('stranger')), isScoped ? 404 : [])
      const elsewhere = isScoped || 'search' in query ? [] : await places({ ...query, organization_id: 'Elsewhere' })
      const everywhere = [...sorted, ...(elsewhere as string[])].sort()
      if (!('search' in query)) assert.deepEqual(await places(query), everywhere)
      assert.deepEqual(await places({ ...query, username: 'viewer' }), isScoped || !('search' in query) ? sorted : [])
    })
  }

  it('is the same by the addresses of environments, products and views', async () => {
    const scoped: readonly (readonly [string, readonly string[]])[] = [
      [`organizations/1/environments/${ids['Dev']}/repositories`, inDev],
      [`environments/${ids['Dev']}/products/${ids['product']}/repositories`, ['a V 1.0 Dev', 'a W 1.0 Dev']],
      [`content_views/${ids['V']}/repositories`, ['a', 'b']],
      [`products/${ids['product']}/repositories?content_view_version_id=${ids['W1']}`, w1],
    ]
    for (const [path, expected] of scoped) {
      assert.deepEqual((await lab.show(path)).results.map(placeOf).sort(), [...expected].sort())
      assert.equal((await lab.server.ask(`/content/api/${path}`, { as: loginOf('stranger') })).status, 404)
    }
  })

  it('searches the views that repositories belong to', async () => {
    const found = async (search: string) => places({ search: encodeURIComponent(search) })
    assert.deepEqual(await found(`content_view_id=${ids['V']}`), ['a', 'b'])
    assert.deepEqual(await found(`content_view_id=${ids['W']}`), ['a'])
    assert.deepEqual(await found(`content_view_id=${ids['Default']},name=c`), ['c'])
  })

  it('refuses views, versions and environments of another organization than the one that is named', async () => {
    for (const query of [{ content_view_id: 'Z' }, { content_view_version_id: 'Z1' }] as const)
      assert.equal(await places({ ...query, organization_id: '1' }), 404)
  })
})
