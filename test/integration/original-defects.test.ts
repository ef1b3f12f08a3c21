import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { listen } from '../support/events.ts'
import { post, put } from '../support/lab.ts'
import { adminPassword, startTestServer, type TestServer } from '../support/test-server.ts'
import { createUdpLab, numberedFrame, type UdpLab } from '../support/udp-lab.ts'
import { waitUntil } from '../support/wait-until.ts'

/** What the original was seen to get wrong, one test each, in the order of the list that was made of it. */
describe('a defect of the original that is none here:', () => {
  let server: TestServer
  let lab: UdpLab
  before(async () => {
    server = await startTestServer()
  })
  after(() => server[Symbol.asyncDispose]())
  beforeEach(async () => {
    lab = await createUdpLab(server)
  })
  afterEach(() => lab[Symbol.asyncDispose]())

  const links = async () => (await server.ask(`${lab.base}/links`)).body
  const ask = (path: string, body: unknown, method = 'POST') => server.ask(path, { method, body })

  async function freeEnds() {
    const create = (node_type: string) =>
      post(server, `${lab.base}/nodes`, { name: node_type, node_type, compute_id: 'local' })
    const nodes = [await create('ethernet_hub'), await create('ethernet_switch')]
    return nodes.map(({ node_id }) => ({ node_id, adapter_number: 0, port_number: 4 }))
  }

  it('a create that fails leaves no link', async () => {
    const before = await links()
    const nodes = await freeEnds()
    const [first] = nodes
    const refused = [
      {},
      undefined,
      { nodes, filters: { delay: 5 } },
      { nodes, filters: { nonsense: [1] } },
      { nodes: [first, { ...first, port_number: 5 }] },
      { nodes: [nodes[0], { ...nodes[1], port_number: 99 }] },
    ]
    for (const body of refused) {
      const { status } = await ask(`${lab.base}/links`, body)
      assert.ok(status >= 400 && status < 500, JSON.stringify(body))
    }
    assert.deepEqual(await links(), before)
    await post(server, `${lab.base}/links`, { nodes })
  })

  it('links have two ends, neither fewer nor more', async () => {
    const [first, second] = await freeEnds()
    for (const nodes of [[], [first], [first, second, { ...first, port_number: 5 }]])
      assert.equal((await ask(`${lab.base}/links`, { nodes })).status, 400)
  })

  it('filters of a wrong shape are refused by name, never a 500', async () => {
    for (const filters of [
      { packet_loss: 10 },
      { packet_loss: null },
      { packet_loss: [null] },
      { delay: [[1]] },
      { bpf: {} },
    ]) {
      const { status, body } = await ask(lab.linkPath, { filters }, 'PUT')
      assert.equal(status, 400, JSON.stringify(filters))
      assert.match(body.message, new RegExp(Object.keys(filters)[0] as string))
    }
    for (const filters of [[], null, 5]) assert.equal((await ask(lab.linkPath, { filters }, 'PUT')).status, 400)
  })

  it('filters that are refused are neither stored nor in force', async () => {
    await put(server, lab.linkPath, { filters: { frequency_drop: [2] } })
    for (const filters of [
      { packet_loss: [101] },
      { packet_loss: [-1] },
      { bpf: ['this is not bpf'] },
      { corrupt: [200] },
    ])
      assert.equal((await ask(lab.linkPath, { filters, suspend: true }, 'PUT')).status, 400)

    const { filters, suspend } = (await server.ask(lab.linkPath)).body
    assert.deepEqual({ filters, suspend }, { filters: { frequency_drop: [2] }, suspend: false })
    for (let number = 0; number < 10; number += 1) await lab.left.send(numberedFrame(number))
    await waitUntil('every other frame', () => lab.right.arrivals.length === 5)
  })

  it('the name of a capture does not lead out of its folder', async () => {
    for (const capture_file_name of [
      '../../../x.pcap',
      '/tmp/x.pcap',
      'a/b.pcap',
      '..',
      '.',
      'a\u0000b',
      'x'.repeat(300),
    ])
      assert.equal((await ask(`${lab.linkPath}/start_capture`, { capture_file_name })).status, 400)
    const named = await post(server, `${lab.linkPath}/start_capture`, { capture_file_name: 'my capture (é).pcap' })
    assert.equal(named.capture_file_name, 'my capture (é).pcap')
    await post(server, `${lab.linkPath}/stop_capture`)
  })

  it('a capture begins with its header at once, and its stream ends as HTTP wants it', async () => {
    await post(server, `${lab.linkPath}/start_capture`)
    const headers = { authorization: `Basic ${Buffer.from(`admin:${adminPassword}`).toString('base64')}` }
    const response = await fetch(new URL(`${lab.linkPath}/pcap`, server.api), { headers })
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    const header = (await reader.read()).value as Uint8Array
    assert.equal(Buffer.from(header).readUInt32LE(0), 0xa1b2c3d4)
    assert.equal(header.length, 24)
    await post(server, `${lab.linkPath}/stop_capture`)
    assert.equal((await reader.read()).done, true)
  })

  it('suspend survives closing and opening the project', async () => {
    await put(server, lab.linkPath, { suspend: true, filters: { delay: [3] } })
    await post(server, `${lab.base}/close`)
    assert.equal((await links())[0].suspend, true)
    await post(server, `${lab.base}/open`)
    const { suspend, filters } = (await server.ask(lab.linkPath)).body
    assert.deepEqual({ suspend, filters }, { suspend: true, filters: { delay: [3] } })
    await lab.left.send(numberedFrame(1))
    await waitUntil('the frame is dropped', async () => {
      return (await server.ask(`${lab.linkPath}/statistics`)).body.forward.dropped.suspended === 1
    })
  })

  it('a link that is created with everything is announced once, as created', async () => {
    const nodes = await freeEnds()
    await using listener = await listen(server, `${lab.base}/notifications`)
    await post(server, `${lab.base}/links`, { nodes, filters: { delay: [1] }, suspend: true, link_style: { width: 3 } })
    await ask(`${lab.base}/links`, { nodes })
    await ask(lab.linkPath, undefined, 'DELETE')
    const heard = await listener.until('link.deleted')
    assert.deepEqual(
      heard.map(({ action }) => action),
      ['link.created', 'link.deleted'],
    )
    assert.equal(heard[0]?.event.nodes.length, 2)
  })

  it('a capture that does not start leaves nothing set, and stopping then works', async () => {
    const project = await post(server, '/v2/projects', { name: `resting ${Math.random()}` })
    const base = `/v2/projects/${project.project_id}`
    const create = (name: string) => post(server, `${base}/nodes`, { name, node_type: 'vpcs', compute_id: 'local' })
    const nodes = [await create('PC1'), await create('PC2')].map(({ node_id }) => ({
      node_id,
      adapter_number: 0,
      port_number: 0,
    }))
    const link = await post(server, `${base}/links`, { nodes })
    const refused = await ask(`${base}/links/${link.link_id}/start_capture`, undefined)
    assert.equal(refused.status, 409)
    assert.equal(refused.body.message, 'Cannot capture because there is no running device on this link')
    const stopped = await ask(`${base}/links/${link.link_id}/stop_capture`, undefined)
    assert.equal(stopped.status, 201)
    assert.deepEqual(stopped.body, link)
  })

  it('errors say what is wrong and nothing of what is inside', async () => {
    const { body } = await ask(lab.linkPath, { filters: { bpf: ['tcp port'] } }, 'PUT')
    assert.match(body.message, /bpf/)
    assert.ok(body.message.length < 300 && !/\n|\/src\/|at .*:\d+/.test(body.message), body.message)
  })

  it('a project whose page sends back what it was shown, with nulls for what it does not know, is obeyed', async () => {
    const link = (await server.ask(lab.linkPath)).body
    const nodes = link.nodes.map((end: { label: object }) => ({ ...end, label: { ...end.label, x: null, y: null } }))
    const sent = { ...link, nodes, suspend: true, filters: { delay: [1] }, x: null, y: null }
    const { status, body } = await ask(lab.linkPath, sent, 'PUT')
    assert.equal(status, 201)
    assert.deepEqual({ suspend: body.suspend, filters: body.filters }, { suspend: true, filters: { delay: [1] } })
    assert.deepEqual(Object.keys(body.nodes[0].label), ['text', 'style'])
  })
})
