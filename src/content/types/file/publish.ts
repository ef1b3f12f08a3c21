import type { MetadataFile, PublishContext, WrittenFile } from '../../content-type.ts'
import { listFileUnits } from './file-unit-store.ts'
import { formatEntry } from './manifest.ts'
import { manifestName } from './manifest-name.ts'

/** The only metadata of a file repository is its manifest, in the form that it is synced from. */
export async function* publishFiles(context: PublishContext): AsyncGenerator<MetadataFile, void, WrittenFile> {
  yield { path: manifestName, content: manifestLines(context) }
}

async function* manifestLines({ db, setId, version, signal }: PublishContext): AsyncGenerator<Uint8Array> {
  for await (const entries of listFileUnits(db, { setId, version })) {
    signal.throwIfAborted()
    yield Buffer.from(entries.map(formatEntry).join(''))
  }
}
