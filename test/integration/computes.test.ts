import assert from 'node:assert/strict'
import { hostname } from 'node:os'
import { after, before, describe, it } from 'node:test'
import { messageIn } from '../support/error-answers.ts'
import { createLab } from '../support/lab.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
  await server.ask('/api/users', { method: 'POST', body: { login: 'plain', password: 'plain password' } })
})
after(() => server[Symbol.asyncDispose]())

describe('the computes', () => {
  it('are this machine, as its API is reached', async () => {
    const { body: all } = await server.ask('/v2/computes')
    const { body: local } = await server.ask('/v2/computes/local')
    const { hostname: host, port } = new URL(server.api)

    assert.deepEqual(
      all.map(({ compute_id }: { compute_id: string }) => compute_id),
      ['local'],
    )
    assert.deepEqual(Object.keys(local).sort(), [
      'capabilities',
      'compute_id',
      'connected',
      'cpu_usage_percent',
      'host',
      'last_error',
      'memory_usage_percent',
      'name',
      'port',
      'protocol',
      'user',
    ])
    assert.deepEqual(
      [local.name, local.host, local.port, local.protocol, local.connected],
      [hostname(), host, Number(port), 'http', true],
    )
    assert.ok(local.capabilities.node_types.includes('ethernet_switch'))
    assert.equal(local.capabilities.version, (await server.ask('/v2/version', { as: null })).body.version)
  })

  it('say which console ports are taken', async () => {
    const { nodes } = await createLab(server)
    const { body } = await server.ask('/v2/computes/local/ports')

    for (const { console: port } of nodes) assert.ok(body.console_ports.includes(port))
    const [first, last] = body.console_port_range
    assert.ok(body.console_ports.every((port: number) => port >= first && port <= last))
    assert.equal(body.udp_port_range.length, 2)
  })

  it('have no images of any emulator', async () => {
    for (const emulator of ['qemu', 'docker', '%00', '..%2f'])
      assert.ok([200, 400].includes((await server.ask(`/v2/computes/local/${emulator}/images`)).status))
    assert.deepEqual((await server.ask('/v2/computes/local/qemu/images')).body, [])
  })

  it('are no others: those are not found, and none can be added, changed or taken away', async () => {
    for (const path of ['/v2/computes/vm', '/v2/computes/vm/ports', '/v2/computes/vm/qemu/images'])
      assert.equal(messageIn(await server.ask(path), path, 404), "Compute ID vm doesn't exist")
    const refused = async (method: string, path: string) =>
      assert.match(messageIn(await server.ask(path, { method, body: {} }), path, 403), /only compute/)
    await refused('POST', '/v2/computes')
    await refused('PUT', '/v2/computes/local')
    await refused('DELETE', '/v2/computes/local')
    messageIn(await server.ask('/v2/computes/vm', { method: 'DELETE' }), '/v2/computes/vm', 404)
  })

  it('are for all who log in, and nobody else', async () => {
    for (const path of ['/v2/computes', '/v2/statistics', '/v2/gns3vm', '/v2/appliances']) {
      assert.equal((await server.ask(path, { as: null })).status, 401)
      assert.equal((await server.ask(path, { as: 'plain:plain password' })).status, 200)
    }
  })
})

describe('the statistics', () => {
  it('are numbers that can be true', async () => {
    const { body } = await server.ask('/v2/statistics')
    const [{ compute_id, compute_name, statistics }] = body

    assert.deepEqual([body.length, compute_id, compute_name], [1, 'local', hostname()])
    assert.equal(statistics.memory_used + statistics.memory_free, statistics.memory_total)
    assert.equal(statistics.swap_used + statistics.swap_free, statistics.swap_total)
    assert.equal(statistics.load_average_percent.length, 3)
    for (const key of ['cpu', 'memory', 'swap', 'disk'].map((name) => `${name}_usage_percent`))
      assert.ok(statistics[key] >= 0 && statistics[key] <= 100, key)
  })
})

describe('what clients ask for that there is not', () => {
  it('is answered as switched off or empty', async () => {
    assert.equal((await server.ask('/v2/gns3vm')).body.enable, false)
    assert.deepEqual((await server.ask('/v2/gns3vm/engines')).body, [])
    assert.deepEqual((await server.ask('/v2/appliances?update=no')).body, [])
    assert.deepEqual((await server.ask('/v2/iou_license')).body, { iourc_content: '', license_check: false })
  })
})
