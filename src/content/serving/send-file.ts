import { once } from 'node:events'
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { BlobStore, ByteRange } from '../../platform/blobs/blob-store.ts'
import { AppError } from '../../platform/errors.ts'
import type { FilePart, FileSender } from '../../platform/send-file/file-sender.ts'
import type { Arrival, OpenBytes } from './arrival.ts'
import { parseRange, type RangeAnswer } from './byte-range.ts'
import { isNotModified, isRangeWanted } from './conditions.ts'
import type { HotAnswer } from './hot-answers.ts'

export interface SentFile {
  readonly name: string
  readonly sha256: string
  readonly sizeBytes: number
  readonly lastModified: Date
  readonly cacheControl: string
}

export interface FileSource {
  readonly store: BlobStore
  readonly sender: FileSender
  /** Brings the bytes when they are not stored yet. */
  readonly bring?: (() => Arrival) | undefined
}

/** Smaller files are sent when they are whole: nobody who reads them meets an upstream that breaks off. */
const largestAwaitedBytes = 1024 * 1024

/** What is smaller is sent faster the ordinary way. */
const leastSentBytes = 256 * 1024

/** Answers GET and HEAD with stored bytes: ETag is the digest; ranges and conditions as in RFC 9110. */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { file, ...source }: { file: SentFile } & FileSource,
): Promise<unknown> {
  const { headers } = request
  const validators = { etag: etagOf(file), lastModified: file.lastModified }
  reply.headers(headersOf(file))
  if (isNotModified(headers, validators)) return reply.code(304).send()

  const answer = isRangeWanted(headers, validators)
    ? parseRange(headers.range, file.sizeBytes)
    : ({ kind: 'whole' } as const)
  if (answer.kind === 'unsatisfiable') {
    return reply
      .code(416)
      .header('content-range', `bytes */${file.sizeBytes}`)
      .type('text/plain')
      .send('The range lies outside the file\n')
  }
  return sendBytes(request, reply, { file, ...source, answer })
}

function etagOf({ sha256 }: SentFile): string {
  return `"${sha256}"`
}

function headersOf(file: SentFile): Record<string, string> {
  return {
    etag: etagOf(file),
    'last-modified': file.lastModified.toUTCString(),
    'accept-ranges': 'bytes',
    'cache-control': file.cacheControl,
    'x-content-type-options': 'nosniff',
  }
}

/** The answer to who asks for the whole file, with all its bytes. */
export async function wholeAnswer(file: SentFile, store: BlobStore): Promise<HotAnswer> {
  await using blob = await store.open(file.sha256)
  const headers = {
    ...headersOf(file),
    'content-type': contentType(file.name),
    'content-length': file.sizeBytes,
  }
  return { headers, etag: etagOf(file), body: await buffer(blob.body) }
}

type Satisfiable = Exclude<RangeAnswer, { kind: 'unsatisfiable' }>

async function sendBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  { file, answer, ...source }: { file: SentFile; answer: Satisfiable } & FileSource,
): Promise<unknown> {
  const range = answer.kind === 'part' ? answer.range : { start: 0, end: file.sizeBytes - 1 }
  reply.header('content-length', range.end - range.start + 1).header('content-type', contentType(file.name))
  if (answer.kind === 'part') {
    reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${file.sizeBytes}`)
  }
  if (request.method === 'HEAD') return reply.send()
  const signal = goneSignal(reply)
  const arrival = source.bring?.()
  if (arrival?.isDubious === false && answer.kind === 'whole' && file.sizeBytes > largestAwaitedBytes)
    return reply.send(Readable.from(arrival.follow(signal), { objectMode: false }))
  const open: OpenBytes = (await arrival?.whole(signal)) ?? ((bytes) => source.store.open(file.sha256, bytes))
  return sendStored(reply, { range, sizeBytes: file.sizeBytes, open, sender: source.sender })
}

function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort(new AppError('cancelled', 'The caller went away')))
  return gone.signal
}

interface StoredBytes {
  readonly range: Required<ByteRange>
  /** Of the whole file. */
  readonly sizeBytes: number
  readonly open: OpenBytes
  readonly sender: FileSender
}

async function sendStored(reply: FastifyReply, { range, sizeBytes, open, sender }: StoredBytes): Promise<unknown> {
  const { start, end } = range
  const socket = end - start + 1 < leastSentBytes ? null : await socketOf(reply.raw)
  const blob = await open(sizeBytes === 0 ? undefined : range)
  if (blob.fd === undefined || !sender.canSend(socket)) return reply.send(blob.body)
  await using _open = blob
  return await sendThroughKernel(reply, { part: { fd: blob.fd, start, end }, socket, sender })
}

/** A reader asks for the next file as soon as it has the last byte, which may be before that answer is known to be over. */
async function socketOf(response: ServerResponse): Promise<Socket | null> {
  if (response.socket !== null || response.destroyed) return response.socket
  await Promise.race([once(response, 'socket'), once(response, 'close')])
  return response.socket
}

/** The framework lets go of the answer; its headers are sent as they are, and the bytes never come here. */
async function sendThroughKernel(
  reply: FastifyReply,
  { part, socket, sender }: { part: FilePart; socket: Socket; sender: FileSender },
): Promise<FastifyReply> {
  const { raw } = reply.hijack()
  const gone = new AbortController()
  raw.once('close', () => gone.abort())
  try {
    raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders)
    raw.flushHeaders()
    await sender.send(socket, part, gone.signal)
    raw.end()
  } catch {
    // whoever reads can tell from the length that it is not whole
    raw.destroy()
  }
  return reply
}

const contentTypes: ReadonlyMap<string, string> = new Map([
  ['gz', 'application/gzip'],
  ['json', 'application/json'],
  ['txt', 'text/plain; charset=utf-8'],
  ['xml', 'application/xml'],
  ['zst', 'application/zstd'],
])

/** Never a type that a browser would run: repositories hold what strangers made. */
function contentType(name: string): string {
  const extension = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
  return contentTypes.get(extension) ?? 'application/octet-stream'
}
