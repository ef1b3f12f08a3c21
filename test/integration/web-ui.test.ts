import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { askRaw } from '../support/raw-http.ts'
import { startTestServer, type TestServer } from '../support/test-server.ts'

describe('a web page for labs', () => {
  let server: TestServer
  let folder: string
  const origin = 'http://localhost:4200'
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'backhaul-web-ui-'))
    const pages = join(folder, 'pages')
    await mkdir(join(pages, 'assets'), { recursive: true })
    await writeFile(join(pages, 'index.html'), '<html>the page</html>')
    await writeFile(join(pages, 'assets', 'main.js'), 'start()')
    await writeFile(join(folder, 'secret.txt'), 'do not tell')
    await symlink(join(folder, 'secret.txt'), join(pages, 'link.txt'))
    server = await startTestServer({ BACKHAUL_WEB_UI_DIR: pages, BACKHAUL_CORS_ORIGINS: origin })
  })
  after(async () => {
    await server[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  })
  const get = (path: string, headers: Record<string, string> = {}) => server.ask(path, { as: null, headers })

  it('is served with its files to everybody', async () => {
    const script = await get('/static/web-ui/assets/main.js')
    assert.equal(script.body, 'start()')
    assert.match(script.headers.get('content-type') ?? '', /javascript/)
    const etag = script.headers.get('etag') ?? ''
    assert.equal((await get('/static/web-ui/assets/main.js', { 'if-none-match': etag })).status, 304)
    assert.equal((await get('/static/web-ui')).status, 302)
  })

  it('is found from the root, and answers what asks for the head or for something else', async () => {
    assert.equal((await get('/')).headers.get('location'), '/static/web-ui/')
    const head = await server.ask('/static/web-ui/assets/main.js', { as: null, method: 'HEAD' })
    assert.deepEqual([head.status, head.body, head.headers.get('content-length')], [200, '', '7'])
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])
      assert.equal((await server.ask('/static/web-ui/x', { as: null, method })).status, 405, method)
  })

  it('streams files of any size, none too', async () => {
    const large = Buffer.alloc(3_000_000, 'x')
    await writeFile(join(folder, 'pages', 'large.txt'), large)
    await writeFile(join(folder, 'pages', 'empty.css'), '')
    assert.equal((await get('/static/web-ui/large.txt')).body.length, large.length)
    const empty = await get('/static/web-ui/empty.css')
    assert.deepEqual(
      [empty.status, empty.body, empty.headers.get('content-type')],
      [200, '', 'text/css; charset=utf-8'],
    )
    assert.equal((await get('/static/web-ui/empty.css', { 'if-none-match': '*' })).status, 304)
  })

  it('answers paths of its own with its first page, and files that are not there with 404', async () => {
    for (const path of ['', 'bundled', 'server/1/project/2']) {
      const page = await get(`/static/web-ui/${path}`)
      assert.equal(page.body, '<html>the page</html>', path)
      assert.match(page.headers.get('content-type') ?? '', /text\/html/)
    }
    assert.equal((await get('/static/web-ui/assets/none.js')).status, 404)
  })

  it('gives nothing from outside its folder', async () => {
    for (const path of [
      'link.txt',
      '../secret.txt',
      '%2e%2e/secret.txt',
      '..%2fsecret.txt',
      'assets/../../secret.txt',
      'a%00.txt',
    ]) {
      const answer = await askRaw(
        server.api,
        `GET /static/web-ui/${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
      )
      assert.doesNotMatch(answer, /do not tell/, path)
      assert.match(answer, /^HTTP\/1\.1 (40[04]|200)/, path)
    }
  })

  it('is gone when its folder is', async () => {
    await rename(join(folder, 'pages'), join(folder, 'moved'))
    const statuses = [(await get('/static/web-ui/')).status, (await get('/static/web-ui/assets/main.js')).status]
    await rename(join(folder, 'moved'), join(folder, 'pages'))

    assert.deepEqual(statuses, [404, 404])
    assert.equal((await get('/static/web-ui/')).status, 200)
  })

  it('may ask the interface from an origin that was set, and from no other', async () => {
    const preflight = (from: string) =>
      fetch(new URL('/v2/projects', server.api), {
        method: 'OPTIONS',
        headers: {
          origin: from,
          'access-control-request-method': 'PUT',
          'access-control-request-headers': 'authorization',
        },
      })
    const allowed = await preflight(origin)
    assert.equal(allowed.status, 204)
    assert.equal(allowed.headers.get('access-control-allow-origin'), origin)
    assert.match(allowed.headers.get('access-control-allow-headers') ?? '', /authorization/i)
    assert.equal((await preflight('http://elsewhere.example')).status, 403)
    const answer = await server.ask('/v2/projects', { headers: { origin } })
    assert.equal(answer.headers.get('access-control-allow-origin'), origin)
  })
})
