import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createLab, lacksVpcs, post, put, startNodes } from '../support/lab.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { ping, typeAt } from '../support/vpcs-console.ts'
import { waitUntil } from '../support/wait-until.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server[Symbol.asyncDispose]())

describe('a link between two virtual PCs', { skip: lacksVpcs }, () => {
  it('carries frames, feels a delay as soon as it is set, and loses it as soon as it is cleared', async () => {
    const lab = await createLab(server)
    await startNodes(server, lab)

    const before = await ping(lab.nodes[0].console, '10.0.0.2')
    const slowed = await put(server, lab.linkPath, { filters: { delay: [80] } })
    const during = await ping(lab.nodes[0].console, '10.0.0.2')
    await put(server, lab.linkPath, { filters: { delay: [0] } })
    const afterwards = await ping(lab.nodes[0].console, '10.0.0.2')

    assert.equal(before.length, 3)
    assert.deepEqual(slowed.filters, { delay: [80] })
    assert.ok(Math.min(...during) >= 160, `${during}`)
    assert.equal(afterwards.length, 3)
    assert.ok(Math.min(...afterwards) < 160, `${afterwards}`)
  })

  it('carries nothing while it is suspended', async () => {
    const lab = await createLab(server)
    await startNodes(server, lab)
    await put(server, lab.linkPath, { suspend: true })

    assert.deepEqual(await ping(lab.nodes[0].console, '10.0.0.2'), [])
    await put(server, lab.linkPath, { suspend: false })
    assert.equal((await ping(lab.nodes[0].console, '10.0.0.2')).length, 3)
  })

  it('is captured into a file that tcpdump reads, live and afterwards', async () => {
    const lab = await createLab(server)
    await startNodes(server, lab)
    const started = await post(server, `${lab.linkPath}/start_capture`)
    assert.equal(started.capturing, true)
    assert.equal(started.capture_file_name, 'PC1_0-0_to_PC2_0-0.pcap')
    const second = await server.ask(`${lab.linkPath}/start_capture`, { method: 'POST' })
    const authorization = { authorization: `Basic ${Buffer.from('admin:correct horse battery').toString('base64')}` }
    const live = await fetch(new URL(`${lab.linkPath}/pcap`, server.api), { headers: authorization })
    const reader = (live.body as ReadableStream<Uint8Array>).getReader()
    const first = await reader.read()

    await ping(lab.nodes[0].console, '10.0.0.2')
    const stopped = await post(server, `${lab.linkPath}/stop_capture`)

    assert.equal(second.status, 409)
    assert.equal(stopped.capturing, false)
    assert.equal(stopped.capture_compute_id, null)
    const pieces = [first.value as Uint8Array]
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) pieces.push(piece.value)
    const streamed = Buffer.concat(pieces)
    assert.equal(streamed.readUInt32LE(0), 0xa1b2c3d4)
    const path = join(server.folder, 'live.pcap')
    await writeFile(path, streamed)
    assert.match(
      execFileSync('tcpdump', ['-nr', path], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
      /10\.0\.0\.1 > 10\.0\.0\.2: ICMP echo request/,
    )
    const finished = await fetch(new URL(`${lab.linkPath}/pcap`, server.api), { headers: authorization })
    assert.deepEqual(Buffer.from(await finished.arrayBuffer()), streamed)
    assert.equal((await post(server, `${lab.linkPath}/stop_capture`)).capturing, false)
  })

  it('does not keep the server from stopping while its capture is read', async () => {
    const other = await startTestServer()
    const lab = await createLab(other)
    await startNodes(other, lab)
    await post(other, `${lab.linkPath}/start_capture`)
    const authorization = `Basic ${Buffer.from('admin:correct horse battery').toString('base64')}`
    const live = await fetch(new URL(`${lab.linkPath}/pcap`, other.api), { headers: { authorization } })

    const stopping = other[Symbol.asyncDispose]()

    assert.ok((await live.arrayBuffer()).byteLength >= 24)
    await stopping
  })

  it('gives up its ports when it is deleted, and its node can be joined anew', async () => {
    const lab = await createLab(server)
    await startNodes(server, lab)

    assert.equal((await server.ask(lab.linkPath, { method: 'DELETE' })).status, 204)
    assert.deepEqual(await ping(lab.nodes[0].console, '10.0.0.2'), [])
    const ends = lab.nodes.map(({ node_id }) => ({ node_id, adapter_number: 0, port_number: 0 }))
    await post(server, `${lab.base}/links`, { nodes: ends })

    assert.equal((await ping(lab.nodes[0].console, '10.0.0.2')).length, 3)
    assert.equal((await server.ask(lab.linkPath)).status, 404)
  })

  it('rests when a node quits by itself, and nothing of the node is left', async () => {
    const lab = await createLab(server)
    await startNodes(server, lab)
    const [first] = lab.nodes

    await typeAt(first.console, 'quit', /./)

    await waitUntil('the node is shown as stopped', async () => {
      return (await server.ask(`${lab.base}/nodes/${first.node_id}`)).body.status === 'stopped'
    })
    await startNodes(server, { base: lab.base, nodes: [first] })
    assert.equal((await ping(first.console, '10.0.0.2')).length, 3)
  })

  it('keeps whoever types at a console away from this machine', async () => {
    const lab = await createLab(server)
    await startNodes(server, lab)

    const shown = await typeAt(
      lab.nodes[0].console,
      `! id; ls /root ${server.folder}; touch /usr/x; echo done`,
      /\ndone/,
    )

    assert.match(shown, /uid=1879\d+/)
    assert.match(shown, /cannot access '\/root'/)
    assert.ok(shown.includes(`cannot access '${server.folder}'`))
    assert.match(shown, /Read-only file system/)
  })

  it('ends with its project', async () => {
    const lab = await createLab(server)
    await startNodes(server, lab)
    const [{ console: port }] = lab.nodes

    assert.equal((await server.ask(`${lab.base}/close`, { method: 'POST' })).status, 204)

    const nodes = await server.ask(`${lab.base}/nodes`)
    assert.deepEqual(
      nodes.body.map(({ status }: { status: string }) => status),
      ['stopped', 'stopped'],
    )
    await assert.rejects(typeAt(port, '', /./))
    assert.equal((await server.ask(lab.linkPath)).status, 403)
    assert.equal((await server.ask(`${lab.base}/links`)).status, 200)
  })
})

describe('a request about links', () => {
  it('that is refused leaves no trace', async () => {
    const { base, nodes, linkPath } = await createLab(server)
    const [first, second] = nodes
    const third = await post(server, `${base}/nodes`, { name: 'PC3', node_type: 'vpcs', compute_id: 'local' })
    const end = (node: { node_id: string }, port = 0) => ({
      node_id: node.node_id,
      adapter_number: 0,
      port_number: port,
    })
    const unknown = { node_id: '00000000-0000-4000-8000-000000000000' }
    const links = (await server.ask(`${base}/links`)).body

    for (const [body, status, message] of [
      [{}, 400, /nodes/],
      [{ nodes: [] }, 400, /nodes/],
      [{ nodes: [end(third)] }, 400, /nodes/],
      [{ nodes: [end(first), end(second), end(third)] }, 400, /nodes/],
      [{ nodes: [end(third), end(third)] }, 409, /itself/],
      [{ nodes: [end(third), end(first)] }, 409, /already used/],
      [{ nodes: [end(third), end(unknown)] }, 404, /Node ID/],
      [{ nodes: [end(third), end(first, 1)] }, 404, /Port 0\/1 for PC1 not found/],
      [{ nodes: [end(third), end(first)], filters: { delay: 5 } }, 400, /delay/],
      [{ nodes: [end(third), end(first)], filters: { latency: [5] } }, 400, /latency/],
      [{ nodes: [end(third), end(first)], whatever: 1 }, 400, /whatever/],
    ] as const) {
      const answer = await server.ask(`${base}/links`, { method: 'POST', body })
      assert.equal(answer.status, status, JSON.stringify(body))
      assert.match(answer.body.message, message)
      assert.equal(answer.body.status, status)
    }
    for (const filters of [{ delay: [-1] }, { delay: ['x'] }, { delay: [1, 2, 3] }, { nonsense: [1] }, [], null]) {
      const answer = await server.ask(linkPath, { method: 'PUT', body: { suspend: true, filters } })
      assert.equal(answer.status, 400, JSON.stringify(filters))
      assert.equal(answer.body.path, '/v2/projects/{project_id}/links/{link_id}')
      assert.deepEqual(answer.body.request, { suspend: true, filters })
    }
    for (const name of ['../../x.pcap', '/etc/x', 'a\0b', '..', 'x/y']) {
      const answer = await server.ask(`${linkPath}/start_capture`, {
        method: 'POST',
        body: { capture_file_name: name },
      })
      assert.equal(answer.status, 400, name)
    }
    assert.equal((await server.ask(`${linkPath}/start_capture`, { method: 'POST' })).status, 409)
    assert.deepEqual((await server.ask(`${base}/links`)).body, links)
  })

  it('takes what the clients of GNS3 send, nulls included', async () => {
    const { linkPath, link } = await createLab(server)
    const nodes = link.nodes.map((node: object) => ({
      ...node,
      label: { text: 'e0', x: null, y: null, rotation: 0, style: null },
    }))

    const answer = await put(server, linkPath, { ...link, x: null, y: null, nodes, link_style: { color: '#cc0000' } })

    assert.deepEqual(answer.nodes[0].label, { text: 'e0', style: null, rotation: 0 })
    assert.deepEqual(answer.link_style, { color: '#cc0000' })
    assert.deepEqual(Object.keys(answer).sort(), Object.keys(link).sort())
  })
})

describe('nodes of many projects', () => {
  it('can be added at the same time, each with a console port of its own', async () => {
    const bases = await Promise.all(
      Array.from(
        { length: 8 },
        async (_, index) =>
          `/v2/projects/${(await post(server, '/v2/projects', { name: `many ${index}` })).project_id}`,
      ),
    )

    const nodes = await Promise.all(
      bases.flatMap((base) =>
        [1, 2, 3].map(() => post(server, `${base}/nodes`, { name: 'PC1', node_type: 'vpcs', compute_id: 'local' })),
      ),
    )

    assert.equal(new Set(nodes.map(({ console: port }) => port)).size, 24)
    assert.deepEqual(new Set(nodes.map(({ name }) => name)), new Set(['PC1', 'PC2', 'PC3']))
  })
})

describe('a node that is stopped as soon as it is started', { skip: lacksVpcs }, () => {
  it('leaves nothing running, however often', async () => {
    const { base, nodes } = await createLab(server)

    for (let round = 0; round < 20; round += 1) {
      for (const action of ['start', 'stop']) {
        await Promise.all(nodes.map(({ node_id }) => post(server, `${base}/nodes/${node_id}/${action}`)))
      }
    }

    const folder = base.split('/').at(-1) as string
    const running = () => execFileSync('ps', ['-eo', 'stat=,args='], { encoding: 'utf8' }).split('\n')
    await waitUntil('no sandbox of the project is left', () => {
      return running().every((line) => line.startsWith('Z') || !line.includes(folder))
    })
  })
})
