import type { Artifacts } from '../../platform/blobs/artifacts.ts'
import type { StagedBlob } from '../../platform/blobs/blob-store.ts'
import { invalidField } from '../../platform/errors.ts'
import { formParts } from '../../platform/http/forms/form-parts.ts'
import { wholeOf } from '../../platform/http/forms/piece-reader.ts'
import { pathProblem } from '../repository-path.ts'

/** A request that carries files, not yet read. */
export interface SentFiles {
  readonly contentType: string | undefined
  readonly body: AsyncIterable<Uint8Array>
  readonly signal: AbortSignal
}

export interface ReceiveFilesOptions {
  readonly artifacts: Artifacts
  /** Refuses kinds of units that the files cannot be. */
  readonly checkKind: (kind: string) => void
}

/** The files of a form one by one; the bytes of each belong to the caller. */
export async function* receiveFiles(
  { contentType, body, signal }: SentFiles,
  { artifacts, checkKind }: ReceiveFilesOptions,
): AsyncGenerator<{ readonly name: string; readonly bytes: StagedBlob }> {
  for await (const part of formParts(contentType, body)) {
    if (part.name === 'content_type') checkKind((await wholeOf(part.body, 1000)).toString('utf8'))
    // a form that is sent without a file chosen has one without a name
    if (!/^content(\[\d*\])?$/.test(part.name) || !part.filename) continue
    const problem = pathProblem(part.filename)
    if (problem !== undefined) throw invalidField('content', `has a file whose name ${problem}`)
    yield { name: part.filename, bytes: await artifacts.store.stage(part.body, { signal, subject: part.filename }) }
  }
}
