import { open, realpath, stat } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../errors.ts'
import { addRefusal } from './add-routes.ts'

export interface StaticFolder {
  /** The folder on this machine; absolute. */
  readonly folder: string
  /** Where it is served, without a slash at its end: `/static/web-ui`. */
  readonly path: string
}

/**
 * Serves the files of a folder to everybody: those of a single-page application, whose paths that name no file are answered
 * with its `index.html`. Nothing outside the folder is served, also not by links that lead out of it. `/` leads there unless
 * something else is there already.
 */
export function addStaticFolder(app: FastifyInstance, { folder, path }: StaticFolder): void {
  const send = async (request: FastifyRequest, reply: FastifyReply) => {
    const { '*': wanted = '' } = request.params as Record<string, string>
    return sendFile(request, reply, await findFile(folder, wanted))
  }
  const handlers = {
    [`${path}/*`]: send,
    [path]: async (request: FastifyRequest, reply: FastifyReply) =>
      request.url.split('?', 1)[0] === path ? reply.redirect(`${path}/`) : send(request, reply),
  }
  for (const [url, handler] of Object.entries(handlers)) {
    // the HEAD that the framework makes of a GET reads the file, or says that it is empty
    app.route({ method: ['GET', 'HEAD'], url, handler, exposeHeadRoute: false })
    addRefusal(app, url, new Set(['GET']))
  }
  if (!app.hasRoute({ method: 'GET', url: '/' })) app.get('/', async (_request, reply) => reply.redirect(`${path}/`))
}

interface Found {
  readonly path: string
  readonly sizeBytes: number
  readonly modifiedMs: number
}

async function findFile(folder: string, wanted: string): Promise<Found> {
  // what was there at the start may be gone, or another one by now
  const root = await realpath(folder).catch(() => folder)
  const isPage = extname(wanted) === ''
  const found = (await fileAt(root, wanted)) ?? (isPage ? await fileAt(root, 'index.html') : undefined)
  if (found === undefined) throw new AppError('not_found', `Cannot find ${wanted.slice(0, 200)}: there is no such file`)
  return found
}

async function fileAt(root: string, relative: string): Promise<Found | undefined> {
  if (relative === '' || relative.includes('\0')) return undefined
  try {
    const path = await realpath(join(root, relative))
    if (!path.startsWith(root + sep)) return undefined
    const found = await stat(path)
    return found.isFile() ? { path, sizeBytes: found.size, modifiedMs: found.mtimeMs } : undefined
  } catch {
    return undefined
  }
}

async function sendFile(request: FastifyRequest, reply: FastifyReply, found: Found): Promise<FastifyReply> {
  const etag = `"${found.sizeBytes.toString(36)}-${Math.trunc(found.modifiedMs).toString(36)}"`
  reply.headers({
    etag,
    'cache-control': 'no-cache',
    'content-security-policy': "frame-ancestors 'self'",
    'x-content-type-options': 'nosniff',
  })
  if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send()
  reply.header('content-type', contentTypes.get(extname(found.path).toLowerCase()) ?? 'application/octet-stream')
  reply.header('content-length', found.sizeBytes)
  return reply.send(request.method === 'HEAD' ? undefined : await bytesOf(found))
}

/** Whether the caller has this representation already (RFC 9110, section 13.1.2). */
function isKnown(condition: string | undefined, etag: string): boolean {
  return condition === '*' || condition?.includes(etag) === true
}

/** No more than was announced, also when the file grows. */
async function bytesOf({ path, sizeBytes }: Found): Promise<Readable> {
  if (sizeBytes === 0) return Readable.from([])
  return (await open(path)).createReadStream({ end: sizeBytes - 1 })
}

const contentTypes: ReadonlyMap<string, string> = new Map([
  ['.css', 'text/css; charset=utf-8'],
  ['.html', 'text/html; charset=utf-8'],
  ['.ico', 'image/x-icon'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.json', 'application/json'],
  ['.map', 'application/json'],
  ['.mjs', 'text/javascript; charset=utf-8'],
  ['.png', 'image/png'],
  ['.svg', 'image/svg+xml'],
  ['.txt', 'text/plain; charset=utf-8'],
  ['.wasm', 'application/wasm'],
  ['.woff', 'font/woff'],
  ['.woff2', 'font/woff2'],
])
