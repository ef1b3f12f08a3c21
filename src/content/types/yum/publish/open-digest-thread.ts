import { parentPort } from 'node:worker_threads'
import { type ListPiece, OwnOpenDigest } from './open-digest.ts'

/** What the thread is told: pieces, and at the end that there are no more. */
export type DigestOrder = { readonly frame: Uint8Array } | { readonly open: Uint8Array } | 'finish'

const digest = new OwnOpenDigest()

parentPort?.on('message', (order: DigestOrder) => {
  if (order === 'finish') return parentPort?.postMessage(digest.facts())
  digest.addNow(order as ListPiece)
  return parentPort?.postMessage('taken')
})
