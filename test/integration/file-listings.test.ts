import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { createFileRepository, syncToEnd } from '../support/content.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'
import { served } from '../support/uploads.ts'
import { startUpstream } from '../support/upstream-server.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server[Symbol.asyncDispose]())

describe('a sync from a listing that is odd', () => {
  const html = { 'content-type': 'text/html;charset=UTF-8' }
  const page = (...links: string[]) =>
    `<title>Index of /</title>${links.map((href) => `<a href="${href}">x</a>`).join('\n')}`

  /** Pages by path; everything else that begins with `/pub/file` is a file, and the rest is missing. */
  async function syncFrom(pages: Readonly<Record<string, string>>, attributes = {}) {
    const answer: RequestListener = ({ url = '' }, response) => {
      const known = pages[url]
      if (known !== undefined) response.writeHead(200, html).end(known)
      else if (url.startsWith('/pub/file')) response.end(url)
      else response.writeHead(404).end()
    }
    await using upstream = await startUpstream(answer)
    const repository = await createFileRepository(server, `${upstream.url}/pub`, attributes)
    const task = await syncToEnd(server, repository.id)
    const asked = upstream.requests.map(({ url }) => url)
    return { task, repository, asked, message: task.humanized.errors.join('\n') as string }
  }

  it('reads the tables of Apache, and follows nothing that leads elsewhere', async () => {
    const { task, repository, asked } = await syncFrom({
      '/pub/': `<html><head><title>Index of /pub</title></head><body><h1>Index of /pub</h1><table>
        <tr><th><a href="?C=N;O=D">Name</a></th></tr><tr><td><a href="/">Parent Directory</a></td></tr>
        <tr><td><a href="file%20a&amp;b">file a&amp;b</a></td></tr><tr><td><a href="sub/">sub/</a></td></tr>
        <tr><td><a href="http://elsewhere.invalid/x">x</a><a href="/other/">y</a><a href="#top">z</a></td></tr></table>`,
      '/pub/sub/': page('/pub/', '../filex', '?C=N', '/pub/file2', '/pub/sub/../../etc/'),
      '/pub/sub': page('wrong'),
    })

    assert.equal(task.result, 'success', task.humanized.errors.join())
    assert.deepEqual(asked.sort(), ['/pub/', '/pub/PULP_MANIFEST', '/pub/SHA256SUMS', '/pub/file%20a%26b', '/pub/sub/'])
    assert.equal(String(await served(server, repository, 'file a&b')), '/pub/file%20a%26b')
  })

  it('fetches everything anew from an upstream that knows no conditions', async () => {
    const first = await syncFrom({ '/pub/': page('file1', 'file1', './file2') })

    assert.equal(first.task.output.fetched_files, 2)
  })

  it('names every listed file that is not there, and shows nothing', async () => {
    const { task, repository, message } = await syncFrom({ '/pub/': page('file1', 'gone1', 'gone2') })

    assert.equal(task.result, 'error')
    assert.match(message, /gone1.*404/)
    assert.match(message, /gone2.*404/)
    assert.equal(await served(server, repository, 'file1'), 404)
  })

  for (const [what, links, message] of [
    ['an encoded slash', ['..%2f..%2fetc'], /"\.\.%2f\.\.%2fetc".*encoded slash/],
    ['a control character', ['file%0a'], /"file\\n".*control/],
    ['NUL', ['file%00'], /control/],
    ['a backslash', ['file%5Cx'], /backslash/],
    ['a name that is not UTF-8', ['file%ff'], /"file%ff".*UTF-8/],
    ['a folder without a name', ['x//'], /empty part/],
  ] as const) {
    it(`refuses ${what} and names it`, async () => {
      const { task, message: said } = await syncFrom({ '/pub/': page(...links) })

      assert.equal(task.result, 'error')
      assert.match(said, message)
    })
  }

  it('ends a listing that goes down without end', async () => {
    const endless: RequestListener = ({ url = '' }, response) => {
      if (url.endsWith('/')) response.writeHead(200, html).end(page('deeper/'))
      else response.writeHead(404).end()
    }
    await using upstream = await startUpstream(endless)
    const repository = await createFileRepository(server, `${upstream.url}/`)

    const task = await syncToEnd(server, repository.id)

    assert.match(task.humanized.errors.join(), /more than 50 folders inside each other/)
    assert.ok(upstream.requests.length < 60)
  })

  it('ends a listing of too many files and one of too many folders', async () => {
    const numbers = Array.from({ length: 100_001 }, (_, index) => `${index}`)

    assert.match((await syncFrom({ '/pub/': page(...numbers) })).message, /more than 100000 files/)
    const folders = numbers.slice(0, 10_001).map((name) => `${name}/`)
    assert.match((await syncFrom({ '/pub/': page(...folders) })).message, /more than 10000 folders/)
  })

  it('says what was looked for when there is nothing', async () => {
    const { task, message } = await syncFrom({})

    assert.equal(task.result, 'error')
    assert.match(message, /neither PULP_MANIFEST nor SHA256SUMS nor a listing.*404/)
  })

  it('takes no page for a listing that is none, and keeps what it has', async () => {
    let isDown = false
    await using upstream = await startUpstream(({ url = '' }, response) => {
      if (isDown) response.writeHead(200, html).end('<title>Maintenance</title>Back soon')
      else if (url === '/') response.writeHead(200, html).end(page('file'))
      else if (url === '/file') response.end('bytes')
      else response.writeHead(404).end()
    })
    const repository = await createFileRepository(server, upstream.url)
    await syncToEnd(server, repository.id)
    isDown = true

    const task = await syncToEnd(server, repository.id)

    assert.equal(task.result, 'error')
    assert.equal(String(await served(server, repository, 'file')), 'bytes')
  })

  it('says that what is not HTML is no listing', async () => {
    await using upstream = await startUpstream(({ url = '' }, response) => {
      if (url === '/') response.writeHead(200, { 'content-type': 'application/json' }).end('[]')
      else response.writeHead(404).end()
    })
    const repository = await createFileRepository(server, upstream.url)

    const task = await syncToEnd(server, repository.id)

    assert.match(task.humanized.errors.join(), /nor a listing.*application\/json/)
  })
})
