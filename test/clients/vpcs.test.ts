import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Json } from '../support/json.ts'
import { createLab, lacksVpcs, post, put, startNodes } from '../support/lab.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { ping } from '../support/vpcs-console.ts'
import { waitUntil } from '../support/wait-until.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server[Symbol.asyncDispose]())

describe('two virtual PCs that ping each other', { skip: lacksVpcs }, () => {
  it('feel each filter, and are well again without it', async () => {
    const lab = await createLab(server)
    await startNodes(server, lab)
    const [first] = lab.nodes
    const dropped = async (cause: string): Promise<number> => {
      const { forward, reverse } = (await server.ask(`${lab.linkPath}/statistics`)).body
      return forward.dropped[cause] + reverse.dropped[cause]
    }
    assert.equal((await ping(first.console, '10.0.0.2')).length, 3)

    for (const [type, values, answered] of [
      ['packet_loss', [100], 0],
      ['frequency_drop', [-1], 0],
      ['bpf', ['icmp[icmptype] = icmp-echo'], 0],
      ['corrupt', [0.001], 3],
      ['delay', [30, 5], 3],
    ] as const) {
      await put(server, lab.linkPath, { filters: { [type]: values } })
      const times = await ping(first.console, '10.0.0.2')

      assert.equal(times.length, answered, type)
      if (answered === 0) assert.ok((await dropped(type)) > 0, type)
      if (type === 'delay') assert.ok(Math.min(...times) >= 50, `${times}`)
    }
    await put(server, lab.linkPath, { filters: {} })
    assert.equal((await ping(first.console, '10.0.0.2')).length, 3)
  })

  it('rest while one is suspended, and go on where they were', async () => {
    const lab = await createLab(server)
    await startNodes(server, lab)
    const [first, second] = lab.nodes
    const act = (action: string) => post(server, `${lab.base}/nodes/${second.node_id}/${action}`)

    assert.equal((await act('suspend')).status, 'suspended')
    assert.deepEqual(await ping(first.console, '10.0.0.2'), [])
    assert.equal((await act('start')).status, 'started')
    assert.equal((await ping(first.console, '10.0.0.2')).length, 3)
    const { status, console } = await act('reload')
    assert.equal(status, 'started')
    assert.equal((await ping(console, '10.0.0.2')).length, 3)
  })

  it('have their consoles in a browser too, for who may use the project', async () => {
    const lab = await createLab(server)
    await startNodes(server, lab)
    const token = (await post(server, '/api/users/1/personal_access_tokens', { name: 'console' })).token_value
    const url = new URL(`${lab.base}/nodes/${lab.nodes[0].node_id}/console/ws?token=${token}`, server.api)
    url.protocol = 'ws:'
    const socket = new WebSocket(url)
    socket.binaryType = 'arraybuffer'
    let shown = ''
    socket.addEventListener('message', ({ data }) => {
      shown += Buffer.from(data).toString('latin1')
    })
    await waitUntil('the prompt', () => /VPCS> $|PC1> $/.test(shown))
    socket.send('show ip\r')
    await waitUntil('the answer', () => /10\.0\.0\.1\/24/.test(shown))
    const closed = new Promise((resolve) => socket.addEventListener('close', resolve))
    await post(server, `${lab.base}/nodes/${lab.nodes[0].node_id}/stop`)
    await closed
  })

  it('are started, suspended and stopped together', async () => {
    const lab = await createLab(server)
    const statuses = async () => (await server.ask(`${lab.base}/nodes`)).body.map(({ status }: Json) => status)
    for (const [action, status] of [
      ['start', 'started'],
      ['suspend', 'suspended'],
      ['start', 'started'],
      ['reload', 'started'],
      ['stop', 'stopped'],
    ]) {
      assert.equal((await server.ask(`${lab.base}/nodes/${action}`, { method: 'POST' })).status, 204)
      assert.deepEqual(await statuses(), [status, status])
    }
  })

  it('on two switches reach those of their own VLAN and no others', async () => {
    const project = await post(server, '/v2/projects', { name: 'two switches' })
    const base = `/v2/projects/${project.project_id}`
    const create = (name: string, node_type: string, properties: object) =>
      post(server, `${base}/nodes`, { name, node_type, compute_id: 'local', properties })
    const join = (ends: readonly (readonly [Json, number])[]) =>
      post(server, `${base}/links`, {
        nodes: ends.map(([{ node_id }, port_number]) => ({ node_id, adapter_number: 0, port_number })),
      })
    const ports_mapping = [
      { name: 'trunk', port_number: 0, type: 'dot1q', vlan: 1 },
      { name: 'red', port_number: 1, type: 'access', vlan: 10 },
      { name: 'blue', port_number: 2, type: 'access', vlan: 20 },
    ]
    const switches = [
      await create('SW1', 'ethernet_switch', { ports_mapping }),
      await create('SW2', 'ethernet_switch', { ports_mapping }),
    ]
    const trunk = await join(switches.map((each) => [each, 0] as const))
    const pcs: Json[] = []
    for (const [index, port] of [1, 2, 1, 2].entries()) {
      const pc = await create(`PC${index + 1}`, 'vpcs', { startup_script: `ip 10.0.0.${index + 1}/24\n` })
      await join([
        [pc, 0],
        [switches[index < 2 ? 0 : 1], port],
      ])
      pcs.push(pc)
    }
    await startNodes(server, { base, nodes: pcs })
    await server.ask(`${base}/links/${trunk.link_id}/start_capture`, { method: 'POST' })

    assert.equal((await ping(pcs[0].console, '10.0.0.3')).length, 3, 'red to red')
    assert.equal((await ping(pcs[1].console, '10.0.0.4')).length, 3, 'blue to blue')
    assert.deepEqual(await ping(pcs[0].console, '10.0.0.2'), [], 'red to blue on one switch')
    assert.deepEqual(await ping(pcs[0].console, '10.0.0.4'), [], 'red to blue on the other')
    await put(server, `${base}/links/${trunk.link_id}`, { suspend: true })
    assert.deepEqual(await ping(pcs[1].console, '10.0.0.4'), [], 'over a suspended trunk')
  })
})
