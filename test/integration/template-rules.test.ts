import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { messageIn } from '../support/error-answers.ts'
import { post, put } from '../support/lab.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'

let server: TestServer
let projects = 0
const plain = 'plain:plain password'
before(async () => {
  server = await startTestServer()
  await server.ask('/api/users', { method: 'POST', body: { login: 'plain', password: 'plain password' } })
})
after(() => server[Symbol.asyncDispose]())

const templates = '/v2/templates'

async function createProject(): Promise<string> {
  projects += 1
  return `/v2/projects/${(await post(server, '/v2/projects', { name: `templates ${projects}` })).project_id}`
}

async function builtIn(type: string) {
  const { body } = await server.ask(templates)
  return body.find((each: { builtin: boolean; template_type: string }) => each.builtin && each.template_type === type)
}

async function refused(body: unknown, message: RegExp, status = 400) {
  const answer = await server.ask(templates, { method: 'POST', body })
  assert.match(messageIn(answer, templates, status), message)
}

describe('a template', () => {
  it('has the keys that the settings pages of clients read', async () => {
    assert.equal((await builtIn('vpcs')).base_script_file, '')
    assert.equal((await builtIn('cloud')).remote_console_type, 'none')
    assert.deepEqual([(await builtIn('vpcs')).console_type, (await builtIn('cloud')).console_type], ['telnet', 'none'])
  })

  it('that is built in can be copied, and cannot be hidden behind one of its id', async () => {
    const { template_id } = await builtIn('vpcs')
    const copy = await post(server, `${templates}/${template_id}/duplicate`)

    assert.deepEqual([copy.builtin, copy.compute_id, copy.template_type], [false, 'local', 'vpcs'])
    for (const id of [template_id, template_id.toUpperCase()]) {
      await refused({ name: 'x', template_type: 'vpcs', template_id: id }, /taken/, 409)
      assert.equal((await server.ask(`${templates}/${id}`)).body.builtin, true)
      messageIn(await server.ask(`${templates}/${id}`, { method: 'DELETE' }), templates, 403)
    }
  })

  it('is copied again and again, with a name that a template may have', async () => {
    let { template_id } = await post(server, templates, { name: 'x'.repeat(100), template_type: 'vpcs' })
    for (let times = 0; times < 3; times += 1) {
      const copy = await post(server, `${templates}/${template_id}/duplicate`)
      await put(server, `${templates}/${copy.template_id}`, copy)
      template_id = copy.template_id
    }
  })

  it('is refused with the field named as it was sent', async () => {
    const vpcs = { name: 'x', template_type: 'vpcs' }
    await refused({ ...vpcs, console_type: 'vnc' }, /console_type/)
    await refused({ ...vpcs, ports_mapping: [] }, /^ports_mapping is not known/)
    await refused({ ...vpcs, startup_script: 7 }, /^Validation failed: startup_script/)
    await refused({ ...vpcs, default_name_format: 'a/b' }, /default_name_format/)
    for (const key of ['__proto__', 'constructor', 'toString'])
      await refused(JSON.parse(`{"name":"x","template_type":"vpcs","${key}":{"a":1}}`), new RegExp(key))
    const twins = [
      { name: 'a', port_number: 0 },
      { name: 'b', port_number: 0 },
    ]
    await refused(
      { name: 'x', template_type: 'ethernet_hub', ports_mapping: twins },
      /^Validation failed: ports_mapping\[1\]\.port_number/,
    )
  })

  it('is changed in parts: null is the default, and what its type does not know is passed over', async () => {
    const hub = await post(server, templates, {
      name: 'Hub of two',
      template_type: 'ethernet_hub',
      ports_mapping: [{ name: 'A', port_number: 1 }],
    })
    const path = `${templates}/${hub.template_id}`

    assert.deepEqual(await put(server, path, { unknown: 1, base_script_file: 'x', ...hub, name: 'Other' }), {
      ...hub,
      name: 'Other',
    })
    assert.equal((await put(server, path, { ports_mapping: null })).ports_mapping.length, 8)
  })

  it('that several change at once has all their changes', async () => {
    const { template_id } = await post(server, templates, { name: 'Shared', template_type: 'vpcs' })
    const path = `${templates}/${template_id}`
    const changes = [
      { usage: 'u' },
      { symbol: ':/symbols/server.svg' },
      { category: 'router' },
      { startup_script: 's' },
    ]
    await Promise.all(changes.map((body) => put(server, path, body)))

    const { body } = await server.ask(path)
    for (const change of changes) assert.deepEqual({ ...body, ...change }, body)
  })
})

describe('who may not have such nodes', () => {
  it('cannot say what those of others do either', async () => {
    const ask = (path: string, method: string, body?: unknown) => server.ask(path, { method, body, as: plain })
    const tap = [{ name: 't', port_number: 0, type: 'tap', interface: 'tap9' }]
    const cloud = await ask(templates, 'POST', { name: 'c', template_type: 'cloud' })
    const host = { name: 'h', template_type: 'host', startup_commands: ['id'] }
    const theirs = await post(server, templates, { name: 't', template_type: 'cloud', ports_mapping: tap })

    assert.equal(cloud.status, 201)
    assert.equal((await ask(templates, 'POST', host)).status, 403)
    assert.equal((await ask(`${templates}/${cloud.body.template_id}`, 'PUT', { ports_mapping: tap })).status, 403)
    assert.equal((await ask(`${templates}/${theirs.template_id}/duplicate`, 'POST')).status, 403)
    assert.equal((await ask(`${templates}/${(await builtIn('host')).template_id}/duplicate`, 'POST')).status, 403)
  })
})

describe('a node from a template', () => {
  it('is called as the template says', async () => {
    const base = await createProject()
    const named = async (default_name_format: string, body: object = {}) => {
      const { template_id } = await post(server, templates, {
        name: 'Core',
        template_type: 'vpcs',
        default_name_format,
      })
      return (await post(server, `${base}/templates/${template_id}`, { x: 0, y: 0, ...body })).name
    }

    assert.deepEqual([await named('{name}-{0}'), await named('{name}-{0}')], ['Core-1', 'Core-2'])
    assert.deepEqual([await named('R{0}-core'), await named('R{0}-core')], ['R1-core', 'R2-core'])
    assert.ok(
      (await named('{name}{name}{name}{name}{name}{name}{name}{name}{name}{name}{name}{name}{name}{name}{name}{name}'))
        .length <= 100,
    )
    assert.equal(await named('PC{0}', { name: 'Own name' }), 'Own name')
  })

  it('of a built-in one is that of its kind', async () => {
    const base = await createProject()
    for (const type of ['vpcs', 'host', 'ethernet_switch', 'ethernet_hub', 'cloud']) {
      const { template_id } = await builtIn(type)
      const node = await post(server, `${base}/templates/${template_id}`, { x: 0, y: 0 })
      const plainNode = await post(server, `${base}/nodes`, { name: node.name, node_type: type, compute_id: 'local' })
      for (const key of ['properties', 'symbol', 'width', 'height', 'ports'])
        assert.deepEqual(node[key], plainNode[key], `${type} ${key}`)
      assert.deepEqual([node.template_id, plainNode.template_id], [template_id, null])
    }
  })

  it('is refused where a node would be', async () => {
    const base = await createProject()
    const path = `${base}/templates/${(await builtIn('vpcs')).template_id}`
    const ask = (body: object, as?: string) => server.ask(path, { method: 'POST', body, ...(as ? { as } : {}) })
    const at = { x: 0, y: 0 }

    assert.match(messageIn(await ask({ ...at, y: 'low' }), path, 400), /y must be a number/)
    assert.match(messageIn(await ask({ ...at, compute_id: 'vm' }), path, 400), /compute_id/)
    assert.match(messageIn(await ask({ ...at, name: 'a/b' }), path, 400), /name/)
    messageIn(await ask(at, plain), path, 404)
    await post(server, `${base}/close`)
    assert.match(messageIn(await ask(at), path, 403), /not opened/)
    assert.deepEqual((await server.ask(`${base}/nodes`)).body, [])
  })
})
