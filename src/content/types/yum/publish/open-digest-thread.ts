import { parentPort } from 'node:worker_threads'
import { bytesOf, type ListPiece, type OpenFacts, OwnOpenDigest } from './open-digest.ts'

/** What the thread is told: pieces, and at the end that there are no more. */
type DigestOrder = ListPiece | 'finish'

export type DigestAnswer = OpenFacts | { readonly takenBytes: number }

const digest = new OwnOpenDigest()

parentPort?.on('message', (order: DigestOrder) => {
  if (order === 'finish') return parentPort?.postMessage(digest.facts())
  digest.addNow(order)
  return parentPort?.postMessage({ takenBytes: bytesOf(order).length } satisfies DigestAnswer)
})
