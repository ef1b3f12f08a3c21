import type { Kysely, Transaction } from 'kysely'
import type { ConsolePorts } from '../nodes/console-ports.ts'
import type { LinksTables } from '../tables.ts'
import { type Content, withFreshIds } from './content.ts'
import { deleteContent, findTakenIds, insertContent } from './topology-store.ts'

export interface ContentWriterParts {
  readonly db: Kysely<LinksTables>
  readonly consolePorts: ConsolePorts
}

/** What else belongs to the transaction in which content is stored. */
export interface Around {
  before?(tx: Transaction<LinksTables>): Promise<unknown>
  after?(tx: Transaction<LinksTables>): Promise<unknown>
}

/** Stores what was read from documents. */
export class ContentWriter {
  readonly #parts: ContentWriterParts

  constructor(parts: ContentWriterParts) {
    this.#parts = parts
  }

  /** The content with the ids that it can have in that project. */
  async withFreeIds(projectId: string, content: Content): Promise<Content> {
    const taken = await findTakenIds(this.#parts.db, content, projectId)
    return withFreshIds(content, (id) => taken.has(id))
  }

  /** Puts the content in the place of all that the project has, in one transaction. */
  async replace(projectId: string, content: Content, { before, after }: Around = {}): Promise<void> {
    const { db, consolePorts: ports } = this.#parts
    const wanted = content.nodes.map(({ wantedPort }) => wantedPort)
    await ports.useAll({ wanted, replacing: projectId }, (consolePorts) =>
      db.transaction().execute(async (tx) => {
        await before?.(tx)
        await deleteContent(tx, projectId)
        await insertContent(tx, { projectId, content, consolePorts })
        await after?.(tx)
      }),
    )
  }
}
