import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Kysely } from 'kysely'
import type { BlobStore } from '../../platform/blobs/blob-store.ts'
import { AppError } from '../../platform/errors.ts'
import { type Authenticate, addRefusal } from '../../platform/http/add-routes.ts'
import type { FileSender } from '../../platform/send-file/file-sender.ts'
import type { OrganizationAccess } from '../organizations/organization-access.ts'
import { findRepositoryByPath } from '../repositories/repository-store.ts'
import type { ContentTables } from '../tables.ts'
import { folderPage } from './folder-page.ts'
import { type HotAnswers, largestHotBytes } from './hot-answers.ts'
import type { OnDemandFiles } from './on-demand-files.ts'
import { sendFile, wholeAnswer } from './send-file.ts'
import { findFormerMetadata, findServedFile, listFolder, type PublicationContent } from './served-file-store.ts'
import { type ServedPath, splitServedPath } from './served-path.ts'

export interface ContentListenerParts {
  readonly db: Kysely<ContentTables>
  readonly store: BlobStore
  readonly access: OrganizationAccess
  readonly authenticate: Authenticate
  readonly hot: HotAnswers
  readonly sender: FileSender
  readonly onDemand: OnDemandFiles
}

interface Served extends PublicationContent {
  readonly repositoryId: number
  readonly publishedAt: Date
  readonly isProtected: boolean
}

/** What clients may keep: pointers and listings change with every publication, and units may be replaced under their name. */
const cacheControl = 'no-cache'

/** Serves published repositories at `/content/…` to package clients. */
export function addContentRoutes(app: FastifyInstance, parts: ContentListenerParts): void {
  const handler = (request: FastifyRequest, reply: FastifyReply) => answer(request, reply, parts)
  // a HEAD of the framework's own making would tell the length of its empty body
  app.route({ method: ['GET', 'HEAD'], url: '/content/*', exposeHeadRoute: false, handler })
  addRefusal(app, '/content/*', new Set(['GET']))
}

async function answer(request: FastifyRequest, reply: FastifyReply, parts: ContentListenerParts): Promise<unknown> {
  const path = (request.params as { '*': string })['*']
  const place = path.includes('\0') ? undefined : splitServedPath(path)
  const { generation } = parts.hot
  if (place === undefined) throw missing(path)
  const served = await findServed(request, place, parts)
  if (served === undefined) throw missing(path)
  if (!place.isInside) return reply.redirect(`${request.url.split('?', 1)[0]}/`, 301)
  const isFolder = place.file === '' || place.file.endsWith('/')
  return isFolder
    ? sendFolder(reply, { path, place, served, parts })
    : sendNamed(request, reply, { place, served, parts, generation })
}

/** Protected repositories are as if they were not there to those who may not see them, but strangers are asked to log in. */
async function findServed(
  request: FastifyRequest,
  { relativePath }: ServedPath,
  parts: ContentListenerParts,
): Promise<Served | undefined> {
  const repository = await findRepositoryByPath(parts.db, relativePath)
  if (repository === undefined) return undefined
  if (!repository.unprotected) {
    const actor = await parts.authenticate(request)
    if (!(await parts.access.canView(actor, repository.organization_id))) return undefined
  }
  const {
    id: repositoryId,
    publication_id: publicationId,
    set_version: version,
    set_id: setId,
    last_contents_changed: publishedAt,
  } = repository
  if (publicationId === null || version === null || publishedAt === null) return undefined
  return { repositoryId, publicationId, version, setId, publishedAt, isProtected: !repository.unprotected }
}

interface Asked {
  readonly place: ServedPath
  readonly served: Served
  readonly parts: ContentListenerParts
}

async function sendNamed(
  request: FastifyRequest,
  reply: FastifyReply,
  { place, served, parts, generation }: Asked & { readonly generation: number },
): Promise<unknown> {
  const found =
    (await findServedFile(parts.db, served, place.file)) ??
    (await findFormerMetadata(parts.db, served.repositoryId, place.file))
  if (found === undefined) throw missing(place.file)
  const file = { ...found, name: place.file, lastModified: served.publishedAt, cacheControl }
  if (!served.isProtected && found.isStored && found.sizeBytes <= largestHotBytes && isPlain(request)) {
    const answer = await wholeAnswer(file, parts.store)
    parts.hot.keep(request.url, answer, generation)
    return reply.headers(answer.headers).send(answer.body)
  }
  const { store, sender, onDemand } = parts
  const { unitId, isStored, sha256, sizeBytes } = found
  const wanted =
    isStored || unitId === null
      ? undefined
      : { repositoryId: served.repositoryId, unitId, path: place.file, sha256, sizeBytes }
  const bring = wanted && (() => onDemand.bring(wanted))
  return sendFile(request, reply, { file, store, sender, bring })
}

const conditions = ['range', 'if-none-match', 'if-match', 'if-modified-since', 'if-unmodified-since', 'if-range']

/** Whether this asks for the whole file, whatever others have of it, by the address that all use. */
function isPlain({ method, url, headers }: FastifyRequest): boolean {
  return method === 'GET' && !url.includes('?') && conditions.every((name) => headers[name] === undefined)
}

async function sendFolder(
  reply: FastifyReply,
  { path, place, served, parts }: Asked & { path: string },
): Promise<unknown> {
  const entries = await listFolder(parts.db, served, place.file)
  if (entries.length === 0 && place.file !== '') throw missing(path)
  return reply
    .header('cache-control', cacheControl)
    .type('text/html; charset=utf-8')
    .send(folderPage(`/content/${path}`, entries))
}

function missing(path: string): AppError {
  return new AppError('not_found', `Cannot find ${path}: nothing is published there`)
}
