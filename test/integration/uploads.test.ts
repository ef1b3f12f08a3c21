import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { request as send } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { createFileRepository, fetchPublished } from '../support/content.ts'
import { liveBufferBytes } from '../support/live-memory.ts'
import { adminPassword, startTestServer, type TestServer } from '../support/test-server.ts'
import { form, multipart, repositories, served, sha256 } from '../support/uploads.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
  for (const login of ['viewer', 'editor', 'stranger']) {
    const { body } = await server.ask('/api/users', { method: 'POST', body: { login, password: 'a long password' } })
    if (login === 'stranger') continue
    await server.ask(`/content/api/organizations/1/members/${body.id}`, { method: 'PUT', body: { role: login } })
  }
})
after(() => server[Symbol.asyncDispose]())

const newRepository = () => createFileRepository(server, 'http://127.0.0.1:1/')

const sendFiles = (id: number, body: Uint8Array, as?: string) =>
  server.ask(`${repositories}/${id}/upload_content`, {
    method: 'POST',
    body,
    headers: multipart,
    ...(as ? { as } : {}),
  })

describe('upload_content', () => {
  it('serves several files byte for byte, and lists them', async () => {
    const repository = await newRepository()
    const [a, b] = [randomBytes(100_000), Buffer.from('--xyz\r\n--xy')]

    const { status, body } = await sendFiles(
      repository.id,
      form([
        ['content[]', a, 'a.bin'],
        ['content[]', b, 'sub/ü b.txt'],
        ['content[]', '', 'empty'],
      ]),
    )

    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(body, { status: 'success', filenames: ['a.bin', 'sub/ü b.txt', 'empty'] })
    assert.deepEqual(await served(server, repository, 'a.bin'), a)
    assert.deepEqual(await served(server, repository, 'sub/ü b.txt'), b)
    assert.deepEqual(await served(server, repository, 'empty'), Buffer.alloc(0))
    const lines = [
      `a.bin,${sha256(a)},100000`,
      `empty,${sha256(Buffer.alloc(0))},0`,
      `sub/ü b.txt,${sha256(b)},${b.length}`,
    ]
    assert.equal((await served(server, repository, 'PULP_MANIFEST')).toString(), `${lines.join('\n')}\n`)
    const shown = await server.ask(`${repositories}/${repository.id}`)
    assert.equal(shown.body.content_counts.file, 3)
  })

  it('takes the same bytes again, and refuses others under the same name with 409', async () => {
    const repository = await newRepository()
    const one = form([['content', 'one', 'f']])
    await sendFiles(repository.id, one)

    const again = await sendFiles(repository.id, one)
    const other = await sendFiles(
      repository.id,
      form([
        ['content', 'new', 'g'],
        ['content', 'two', 'f'],
      ]),
    )

    assert.equal(again.status, 200)
    assert.equal(other.status, 409, JSON.stringify(other.body))
    assert.match(other.body.displayMessage, /"f"/)
    assert.equal((await served(server, repository, 'f')).toString(), 'one')
    assert.equal(await served(server, repository, 'g'), 404)
  })

  it('takes one of two that come at once with the same name', async () => {
    const repository = await newRepository()

    const answers = await Promise.all(
      ['one', 'two'].map((text) => sendFiles(repository.id, form([['content', text, 'f']]))),
    )

    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
    const winner = answers[0]?.status === 200 ? 'one' : 'two'
    assert.equal((await served(server, repository, 'f')).toString(), winner)
  })

  for (const name of ['../x', '/etc/passwd', 'a/../b', 'a\\b', 'a\u0001b', 'a//b', 'PULP_MANIFEST', 'a,b', ' a']) {
    it(`is 422 for a file called ${JSON.stringify(name)}`, async () => {
      const repository = await newRepository()
      const { status, body } = await sendFiles(repository.id, form([['content', 'x', name.replaceAll('\\', '\\\\')]]))
      assert.equal(status, 422, JSON.stringify(body))
      assert.ok(body.errors.content)
    })
  }

  it('is 422 without a file and for a kind that the repository does not hold', async () => {
    const { id } = await newRepository()
    const none = await sendFiles(
      id,
      form([
        ['content', 'text'],
        ['content', '', ''],
      ]),
    )
    const wrong = await sendFiles(
      id,
      form([
        ['content_type', 'rpm'],
        ['content', 'x', 'x.rpm'],
      ]),
    )
    assert.deepEqual([none.status, wrong.status], [422, 422])
    assert.ok(none.body.errors.content)
    assert.ok(wrong.body.errors.content_type)
  })

  it('is 415 for JSON, and 400 for a form that is cut off', async () => {
    const { id } = await newRepository()
    const json = await server.ask(`${repositories}/${id}/upload_content`, { method: 'POST', body: {} })
    const cut = await sendFiles(id, form([['content', 'abc', 'f']]).subarray(0, -12))
    assert.deepEqual([json.status, cut.status], [415, 400])
  })

  it('is for editors', async () => {
    const { id } = await newRepository()
    const body = form([['content', 'x', 'x']])
    const statuses = []
    for (const login of ['stranger', 'viewer', 'editor']) {
      statuses.push((await sendFiles(id, body, `${login}:a long password`)).status)
    }
    assert.deepEqual(statuses, [404, 403, 200])
  })

  it('takes 300 MB in flat memory', async () => {
    const repository = await newRepository()
    const piece = randomBytes(1_000_000)
    const hash = createHash('sha256')
    const [head, tail] = form([['content', '|', 'big.iso']])
      .toString('latin1')
      .split('|') as [string, string]
    const before = liveBufferBytes()
    let most = 0
    const status = await new Promise<number>((resolve, reject) => {
      const request = send(
        `${server.api}${repositories}/${repository.id}/upload_content`,
        { method: 'POST', auth: `admin:${adminPassword}`, headers: multipart },
        (answer) => answer.resume().on('end', () => resolve(answer.statusCode ?? 0)),
      )
      request.on('error', reject)
      const write = async () => {
        request.write(head)
        for (let count = 0; count < 300; count += 1) {
          hash.update(piece)
          if (!request.write(piece)) await new Promise((drained) => request.once('drain', drained))
          if (count % 50 === 0) most = Math.max(most, liveBufferBytes() - before)
        }
        request.end(tail)
      }
      void write()
    })

    assert.equal(status, 200)
    assert.ok(most < 50_000_000, `${most} bytes in use`)
    const answer = await fetchPublished(server, repository, 'big.iso')
    const found = createHash('sha256')
    for await (const bytes of answer.body as ReadableStream<Uint8Array>) found.update(bytes)
    assert.equal(found.digest('hex'), hash.digest('hex'))
  })
})
