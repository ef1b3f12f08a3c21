import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { messageIn } from '../support/error-answers.ts'
import type { Json } from '../support/json.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { createFullProject, importDocument } from '../support/topology.ts'

let server: TestServer
const as = 'plain:plain password'
before(async () => {
  server = await startTestServer()
  await server.ask('/api/users', { method: 'POST', body: { login: 'plain', password: 'plain password' } })
})
after(() => server[Symbol.asyncDispose]())

const idOf = (base: string) => base.split('/').at(-1) as string

describe('an import', () => {
  it('that is refused says where the fault is and leaves nothing', async () => {
    const { base, document } = await createFullProject(server)
    await server.ask(base, { method: 'DELETE' })
    const before = (await server.ask('/v2/projects')).body
    const folders = () => readdir(join(server.folder, 'data', 'projects')).catch(() => [])
    const foldersBefore = await folders()
    const nodes = (change: (nodes: Json[]) => void) => (found: Json) => change(found.topology.nodes)
    const lastLink = (change: (link: Json) => void) => (found: Json) => change(found.topology.links.at(-1))
    const lastEnd = (change: (end: Json) => void) => lastLink((link) => change(link.nodes[1]))
    const faults: [(document: Json) => void, RegExp][] = [
      [(found) => delete found.topology, /topology is missing/],
      [
        (found) => {
          found.type = 'x'
        },
        /type/,
      ],
      [
        (found) => {
          found.revision = 10
        },
        /revision/,
      ],
      [
        (found) => {
          found.name = '../x'
        },
        /name/,
      ],
      [
        (found) => {
          found.zoom = '100'
        },
        /zoom/,
      ],
      [
        (found) => {
          found.topology.nodes = {}
        },
        /topology\.nodes must be/,
      ],
      [
        nodes((all) => {
          all[3].node_type = 'qemu'
        }),
        /topology\.nodes\[3\]\.node_type/,
      ],
      [
        nodes((all) => {
          all[1].node_id = 'x'
        }),
        /topology\.nodes\[1\]\.node_id/,
      ],
      [
        nodes((all) => {
          all[1].node_id = all[0].node_id.toUpperCase()
        }),
        /topology\.nodes\[1\]\.node_id is the id of/,
      ],
      [
        nodes((all) => {
          all[1].name = all[0].name
        }),
        /topology\.nodes\[1\]\.name is the name of/,
      ],
      [
        nodes((all) => {
          all[1].name = 'a/b'
        }),
        /topology\.nodes\[1\]\.name/,
      ],
      [
        nodes((all) => {
          all[2].properties.ports_mapping[1].port_number = 0
        }),
        /nodes\[2\]\.properties\.ports_mapping\[1\]/,
      ],
      [
        nodes((all) => {
          all[0].properties.ram = 5
        }),
        /topology\.nodes\[0\]\.properties\.ram/,
      ],
      [
        nodes((all) => {
          all[0].label = { text: 5 }
        }),
        /topology\.nodes\[0\]\.label\.text/,
      ],
      [
        nodes((all) => {
          all[0].console = 'x'
        }),
        /topology\.nodes\[0\]\.console/,
      ],
      [
        lastLink((link) => {
          link.nodes.pop()
        }),
        /topology\.links\[1\]\.nodes/,
      ],
      [
        lastLink((link) => {
          link.nodes.push(link.nodes[0])
        }),
        /topology\.links\[1\]\.nodes/,
      ],
      [
        lastLink((link) => {
          link.nodes[1] = link.nodes[0]
        }),
        /topology\.links\[1\]\.nodes\[1\] is joined/,
      ],
      [
        lastLink((link) => {
          link.nodes[1] = { ...link.nodes[0], port_number: 6 }
        }),
        /links\[1\]\.nodes join a node with/,
      ],
      [
        lastLink((link) => {
          link.filters = { latency: [5] }
        }),
        /topology\.links\[1\]\.filters "latency"/,
      ],
      [
        lastLink((link) => {
          link.filters = { bpf: ['icmp and and'] }
        }),
        /topology\.links\[1\]\.filters/,
      ],
      [
        lastLink((link) => {
          link.suspend = 'yes'
        }),
        /topology\.links\[1\]\.suspend/,
      ],
      [
        lastLink((link) => {
          link.link_id = 7
        }),
        /topology\.links\[1\]\.link_id/,
      ],
      [
        lastEnd((end) => {
          end.node_id = randomUUID()
        }),
        /topology\.links\[1\]\.nodes\[1\]\.node_id/,
      ],
      [
        lastEnd((end) => {
          end.adapter_number = 9
        }),
        /topology\.links\[1\]\.nodes\[1\] names port 9\/0/,
      ],
      [
        (found) => {
          found.topology.drawings[0].svg = 'picture.png'
        },
        /topology\.drawings\[0\]\.svg/,
      ],
      [
        (found) => {
          found.topology.drawings[0].drawing_id = null
        },
        /topology\.drawings\[0\]\.drawing_id/,
      ],
    ]
    for (const [change, message] of faults) {
      const changed = structuredClone(document)
      change(changed)
      assert.match(messageIn(await importDocument(server, changed), '/v2', 400), message)
    }
    for (const body of ['PK\u0003\u0004', '[]', 'null', '{}'])
      assert.equal((await importDocument(server, body)).status, 400, body)
    assert.equal((await importDocument(server, document, { name: 'a/b' })).status, 400)
    assert.equal((await importDocument(server, document, { id: '..%2f..' })).status, 400)

    assert.deepEqual((await server.ask('/v2/projects')).body, before)
    assert.deepEqual(await folders(), foldersBefore)
  })

  it('joins no two clouds', async () => {
    const { document } = await createFullProject(server)
    const cloud = document.topology.nodes[3]
    const twin = { ...structuredClone(cloud), node_id: randomUUID(), name: 'Cloud2' }
    const end = ({ node_id }: Json) => ({ node_id, adapter_number: 0, port_number: 0 })
    document.topology.nodes.push(twin)
    document.topology.links = [{ link_id: randomUUID(), nodes: [end(cloud), end(twin)] }]

    const refused = await importDocument(server, document, { name: `clouds ${randomUUID()}` })
    assert.match(messageIn(refused, '/v2', 400), /topology\.links\[0\]\.nodes/)
  })

  it('is 409 where the id or the name is taken, and 403 for nodes that the asker may not have', async () => {
    const { base, document } = await createFullProject(server)

    messageIn(await importDocument(server, document, { id: idOf(base), name: 'free' }), '/v2', 409)
    messageIn(await importDocument(server, document), '/v2', 409)
    messageIn(await importDocument(server, document, { name: 'not for hosts', user: as }), '/v2', 403)
    const [first, second] = document.topology.nodes
    document.topology = { nodes: [first, second], links: [document.topology.links[0]] }
    const own = await importDocument(server, document, { name: 'not for hosts', user: as })
    assert.equal(own.status, 201)
    assert.equal((await server.ask(`/v2/projects/${own.body.project_id}`, { as })).status, 200)
    messageIn(await server.ask('/v2/projects/load', { method: 'POST', body: { path: '/etc/passwd' } }), '/v2', 403)
    assert.equal((await server.ask(`${base}/export`, { as })).status, 404)
    assert.equal((await server.ask(`${base}/duplicate`, { method: 'POST', body: { name: 'mine' }, as })).status, 404)
  })
})
