import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Json } from '../support/json.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'

let server: TestServer
let resources: Json
let openApi: Json
before(async () => {
  server = await startTestServer()
  resources = (await server.ask('/apidoc/v2.json', { as: null })).body.docs.resources
  openApi = (await server.ask('/docs/openapi.json')).body
})
after(() => server[Symbol.asyncDispose]())

function methodOf(resource: string, name: string): Json {
  return resources[resource].methods.find((method: Json) => method.name === name)
}

function paramOf(resource: string, method: string, name: string): Json {
  return methodOf(resource, method).params.find((param: Json) => param.name === name)
}

function allMethods(): Json[] {
  return Object.values(resources).flatMap((resource: Json) => resource.methods)
}

function withNested(params: readonly Json[]): Json[] {
  return params.flatMap((param) => [param, ...withNested(param.params ?? [])])
}

describe('the apidoc', () => {
  it('needs no login, and is the same in every language', async () => {
    const [plain, english, checksum] = await Promise.all(
      ['/apidoc/v2.json', '/apidoc/v2.en.json', '/apidoc/apipie_checksum'].map((path) =>
        server.ask(path, { as: null }),
      ),
    )

    assert.equal(plain?.status, 200)
    assert.match(plain?.headers.get('content-type') ?? '', /^application\/json/)
    assert.deepEqual(english?.body, plain?.body)
    assert.deepEqual(checksum?.body, { checksum: plain?.headers.get('apipie-checksum') })
  })

  it('is named by a checksum on every answer for its clients, also on refusals, and nowhere else', async () => {
    const { checksum } = (await server.ask('/apidoc/apipie_checksum')).body
    const answers = await Promise.all([
      server.ask('/api/status', { as: null }),
      server.ask('/api/users', { as: null }),
      server.ask('/content/api/repositories'),
      server.ask('/content/api/nothing'),
      server.ask('/foreman_tasks/api/tasks'),
      server.ask('/apidoc/v2.json'),
    ])
    const others = await Promise.all([server.ask('/v2/projects'), server.ask('/healthz')])

    assert.match(checksum, /^[0-9a-f]{64}$/)
    for (const { headers } of answers) {
      assert.equal(headers.get('apipie-checksum'), checksum)
      assert.equal(headers.get('foreman_api_version'), '2')
      assert.equal(headers.get('foreman_version'), '3.8.0')
    }
    for (const { headers } of others) assert.equal(headers.get('apipie-checksum'), null)
  })

  it('has the same checksum after a restart', async () => {
    const { body } = await server.ask('/apidoc/apipie_checksum')
    await using another = await startTestServer()

    assert.deepEqual((await another.ask('/apidoc/apipie_checksum')).body, body)
  })

  it('has every part that clients read in every method and parameter', () => {
    for (const [id, resource] of Object.entries<Json>(resources)) {
      assert.equal(resource.id, id)
      assert.ok(Array.isArray(resource.methods), id)
    }
    for (const method of allMethods()) {
      assert.deepEqual(method.examples, [])
      for (const api of method.apis) {
        assert.match(api.api_url, /^\/[\w/:]+$/)
        assert.match(api.http_method, /^(GET|POST|PUT|DELETE)$/)
        assert.equal(typeof api.short_description, 'string')
      }
      for (const param of withNested(method.params)) {
        assert.equal(typeof param.description, 'string', param.full_name)
        assert.equal(typeof param.required, 'boolean', param.full_name)
        assert.equal(typeof param.allow_nil, 'boolean', param.full_name)
        assert.match(param.validator, /^Must be .*\.$/, param.full_name)
        assert.match(param.expected_type, /^(string|numeric|boolean|array|hash)$/, param.full_name)
      }
    }
  })

  it('names every variable of every address, and no parameter twice', () => {
    for (const { name, apis, params } of allMethods()) {
      const names = params.map((param: Json) => param.name)
      assert.equal(new Set(names).size, names.length, name)
      for (const { api_url } of apis) {
        for (const [, variable] of api_url.matchAll(/:(\w+)/g)) assert.ok(names.includes(variable), api_url)
      }
    }
  })

  it('describes every address of the content API with all of its parameters', () => {
    const missing: string[] = []
    const described = allMethods().flatMap(({ apis, params }) =>
      apis.map(({ api_url, http_method }: Json) => [`${http_method} ${api_url}`, params]),
    )
    const paramsOf = new Map<string, Json[]>(described as [string, Json[]][])
    for (const [path, operations] of Object.entries<Json>(openApi.paths)) {
      if (!/^\/(content|foreman_tasks)\/api\//.test(path) || path.includes('/members')) continue
      for (const [verb, operation] of Object.entries<Json>(operations)) {
        const key = `${verb.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`
        const names = withNested(paramsOf.get(key) ?? []).map(({ name }) => name)
        const body = operation.requestBody?.content['application/json']?.schema.properties ?? {}
        const wanted = [...operation.parameters.map(({ name }: Json) => name), ...Object.keys(body)]
        if (!paramsOf.has(key)) missing.push(key)
        missing.push(...wanted.filter((name) => !names.includes(name)).map((name) => `${key}: ${name}`))
      }
    }

    assert.deepEqual(missing, [])
  })

  it('joins the addresses of one method', () => {
    const urls = methodOf('repositories', 'index').apis.map((api: Json) => api.api_url)

    assert.ok(urls.includes('/content/api/repositories'))
    assert.ok(urls.includes('/content/api/products/:product_id/repositories'))
    assert.equal(methodOf('repositories', 'remove_content').apis.length, 3)
    assert.equal(paramOf('repositories', 'index', 'product_id').required, false)
    assert.equal(paramOf('repositories', 'show', 'id').required, true)
  })

  it('says what may be left out, be nothing, and of which type it is', () => {
    assert.equal(paramOf('repositories', 'create', 'product_id').required, true)
    assert.equal(paramOf('repositories', 'create', 'product_id').expected_type, 'numeric')
    assert.equal(paramOf('repositories', 'create', 'url').expected_type, 'string')
    assert.equal(paramOf('repositories', 'create', 'unprotected').expected_type, 'boolean')
    assert.match(paramOf('repositories', 'create', 'content_type').validator, /^Must be one of: .*\bfile\b.*\.$/)
    assert.equal(paramOf('repositories', 'index', 'per_page').expected_type, 'numeric')
    assert.equal(paramOf('repositories', 'index', 'per_page').allow_nil, false)
    assert.equal(paramOf('repositories', 'remove_content', 'ids').expected_type, 'array')
    for (const resource of ['products', 'repositories']) {
      for (const method of ['create', 'update']) {
        for (const name of ['gpg_key_id', 'ssl_ca_cert_id', 'ssl_client_cert_id', 'ssl_client_key_id']) {
          assert.equal(paramOf(resource, method, name).allow_nil, true, `${resource}.${method} ${name}`)
        }
      }
    }
  })

  it('wraps the attributes of resources that clients send wrapped, and no others', () => {
    for (const [resource, wrapper] of [
      ['organizations', 'organization'],
      ['users', 'user'],
      ['http_proxies', 'http_proxy'],
    ] as const) {
      const { expected_type, params } = paramOf(resource, 'create', wrapper)
      assert.equal(expected_type, 'hash')
      assert.equal(params[0].full_name, `${wrapper}[${params[0].name}]`)
    }
    assert.equal(paramOf('repositories', 'create', 'repository'), undefined)
  })

  it('has nested descriptions of lists of objects, and the fields of forms', () => {
    const nested = paramOf('repositories', 'import_uploads', 'uploads').params.map((param: Json) => param.full_name)

    assert.ok(nested.includes('uploads[id]'))
    assert.equal(paramOf('content_uploads', 'update', 'content').required, true)
    assert.equal(paramOf('repositories', 'upload_content', 'content').required, true)
  })

  it('says what lists can be searched by', () => {
    const { search } = methodOf('repositories', 'index').metadata
    const types = search.map(({ name, type, values }: Json) => [name, type ?? values])

    assert.deepEqual(
      types.find(([name]: Json) => name === 'name'),
      ['name', 'string'],
    )
    assert.deepEqual(
      types.find(([name]: Json) => name === 'vendor'),
      ['vendor', ['true', 'false']],
    )
    assert.equal(methodOf('repositories', 'show').metadata, null)
  })

  it('has what clients look for before they start', () => {
    assert.ok(methodOf('home', 'status'))
    assert.ok(methodOf('hosts', 'update').params.some((param: Json) => param.name === 'host'))
    assert.ok(resources.subscriptions.methods.length > 0)
    assert.ok(methodOf('organizations', 'update').params.some((param: Json) => param.name === 'organization'))
    assert.ok(methodOf('content_view_filter_rules', 'create'))
    assert.ok(methodOf('content_view_filter_rules', 'update'))
    assert.ok(methodOf('activation_keys', 'product_content'))
    assert.ok(methodOf('foreman_tasks', 'show'))
    for (const name of ['architectures', 'locations', 'lifecycle_environments', 'packages', 'usergroups']) {
      assert.ok(resources[name], name)
    }
  })
})
