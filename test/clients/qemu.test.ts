import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { freePort } from '../support/free-port.ts'
import { Guest, type GuestFiles, lacksGuests, prepareGuests } from '../support/guest.ts'
import { post, put } from '../support/lab.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'

describe('two virtual machines at UDP ports of clouds', { skip: lacksGuests }, () => {
  let server: TestServer
  let files: GuestFiles
  before(async () => {
    server = await startTestServer()
    files = await prepareGuests(server.folder)
  })
  after(() => server[Symbol.asyncDispose]())

  it('ping each other through a link, and feel its filters', async () => {
    const { project_id } = await post(server, '/v2/projects', { name: 'machines' })
    const base = `/v2/projects/${project_id}`
    const create = (node_type: string, properties: object = {}) =>
      post(server, `${base}/nodes`, { name: node_type, node_type, compute_id: 'local', properties })
    const hub = await create('ethernet_hub')
    const place = async (number: number) => {
      const [lport, rport] = [await freePort(), await freePort()]
      const udp = { name: 'udp', port_number: 0, type: 'udp', lport, rhost: '127.0.0.1', rport }
      const cloud = await create('cloud', { ports_mapping: [udp] })
      const ends = [
        { node_id: cloud.node_id, adapter_number: 0, port_number: 0 },
        { node_id: hub.node_id, adapter_number: 0, port_number: number },
      ]
      const link = await post(server, `${base}/links`, { nodes: ends })
      return { linkPath: `${base}/links/${link.link_id}`, local: rport, remote: lport }
    }
    const places = [await place(1), await place(2)] as const
    const guest = (index: 0 | 1) =>
      new Guest({ files, number: index + 1, address: `10.0.0.${index + 1}`, ...places[index] })
    await using first = guest(0)
    await using second = guest(1)
    await Promise.all([first.ready(), second.ready()])

    assert.match(await first.run('ping -c 3 -w 20 10.0.0.2'), /3 packets received/)
    await put(server, places[0].linkPath, { filters: { delay: [100] } })
    const slow = await first.run('ping -c 3 -w 20 10.0.0.2')
    const [, shortest] = /min\/avg\/max = ([\d.]+)/.exec(slow) ?? []
    assert.ok(Number(shortest) >= 200, slow)
    await put(server, places[0].linkPath, { filters: { packet_loss: [100] } })
    assert.match(await first.run('ping -c 2 -w 3 10.0.0.2'), / 0 packets received/)
    await put(server, places[0].linkPath, { filters: {} })
    assert.match(await second.run('ping -c 3 -w 20 10.0.0.1'), /3 packets received/)
  })
})
