import type { PublishContext } from '../../../content-type.ts'
import { listAdvisorySources } from '../advisories/advisory-store.ts'
import { listCompsSources } from '../groups/comps-store.ts'
import { listModuleSources } from '../modules/module-store.ts'

/** A metadata file besides the package lists that is written here. */
export interface MetadataText {
  /** Of its record in repomd.xml. */
  readonly type: string
  readonly filename: string
  /** None when there is nothing to say. */
  readonly pieces: AsyncGenerator<string>
}

export function textsOf(context: PublishContext): readonly MetadataText[] {
  return [
    { type: 'group', filename: 'comps.xml', pieces: comps(context) },
    { type: 'modules', filename: 'modules.yaml', pieces: modules(context) },
    { type: 'updateinfo', filename: 'updateinfo.xml', pieces: updateinfo(context) },
  ]
}

const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n'

async function* comps({ db, setId, version }: PublishContext): AsyncGenerator<string> {
  const sources = await listCompsSources(db, { setId, version })
  if (sources.length > 0) yield `${declaration}<comps>\n${sources.join('\n')}\n</comps>\n`
}

async function* modules({ db, setId, version }: PublishContext): AsyncGenerator<string> {
  const sources = await listModuleSources(db, { setId, version })
  const documents = sources.map((source) => (source.startsWith('---') ? source : `---\n${source}`))
  if (documents.length > 0) yield documents.map((text) => (text.endsWith('\n') ? text : `${text}\n`)).join('')
}

async function* updateinfo({ db, setId, version }: PublishContext): AsyncGenerator<string> {
  let isBegun = false
  for await (const page of listAdvisorySources(db, { setId, version })) {
    yield `${isBegun ? '' : `${declaration}<updates>\n`}${page.join('\n')}\n`
    isBegun = true
  }
  if (isBegun) yield '</updates>\n'
}
