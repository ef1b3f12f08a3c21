import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import { type Actor, forbidden, hasRight } from '../../platform/auth/actor.ts'
import { AppError, invalidField } from '../../platform/errors.ts'
import { isUuid } from '../../platform/uuid.ts'
import { controller, type EventBus } from '../events/event-bus.ts'
import { KeyedQueue } from '../keyed-queue.ts'
import type { NodeKind } from '../nodes/node-kind.ts'
import { type NodeService, requireNodeRight } from '../nodes/node-service.ts'
import type { LinksTables, NodeRow, TemplateRow } from '../tables.ts'
import { builtInTemplates, type Template } from './built-in-templates.ts'
import { nodeNameOf } from './node-name.ts'
import { consoleTypeOf, presentTemplate } from './template-presenter.ts'
import { checkTemplateProperties, nodeProperties, refuseUnknown } from './template-properties.ts'
import { deleteTemplate, findTemplate, insertTemplate, listTemplates, updateTemplate } from './template-store.ts'

export interface TemplateContent {
  /** Clients say it although the kind of node decides it. */
  readonly console_type?: string | null | undefined
  readonly looks: Readonly<Record<string, unknown>>
  /** As the kind of node knows them. */
  readonly properties: Readonly<Record<string, unknown>>
}

export interface TemplateRequest extends TemplateContent {
  readonly name: string
  readonly template_type: string
  readonly template_id?: string | null | undefined
}

export interface NodePlace {
  readonly projectId: string
  readonly templateId: string
  readonly name?: string | null | undefined
  readonly x?: number | undefined
  readonly y?: number | undefined
}

export interface TemplateServiceParts {
  readonly db: Kysely<LinksTables>
  readonly kinds: ReadonlyMap<string, NodeKind>
  readonly bus: EventBus
  readonly nodes: NodeService
}

/** Templates belong to the server: everybody sees them all, and changes their own. */
export class TemplateService {
  readonly #parts: TemplateServiceParts
  readonly #builtIn: ReadonlyMap<string, Template>
  readonly #queue = new KeyedQueue()

  constructor(parts: TemplateServiceParts) {
    this.#parts = parts
    this.#builtIn = builtInTemplates(parts.kinds.values())
  }

  async listTemplates(): Promise<Template[]> {
    return [...this.#builtIn.values(), ...(await listTemplates(this.#parts.db)).map(stored)]
  }

  /** @throws AppError `not_found` */
  async getTemplate(id: string): Promise<Template> {
    const builtIn = this.#builtIn.get(id.toLowerCase())
    if (builtIn !== undefined) return builtIn
    const row = isUuid(id) ? await findTemplate(this.#parts.db, id) : undefined
    if (row === undefined) throw new AppError('not_found', `Template ID ${id} doesn't exist`)
    return stored(row)
  }

  async createTemplate(actor: Actor, request: TemplateRequest): Promise<Template> {
    const { name, template_type, looks, properties } = request
    const kind = this.#kind(template_type)
    refuseUnknown(kind, properties)
    return this.#insert(actor, {
      id: request.template_id?.toLowerCase() ?? randomUUID(),
      name,
      template_type,
      looks: { ...looks },
      properties: checkContent(actor, kind, request),
    })
  }

  /** Properties that the kind of node does not know are passed over. */
  async updateTemplate(
    actor: Actor,
    id: string,
    { name, looks, properties, console_type }: TemplateContent & { readonly name?: string | undefined },
  ): Promise<Template> {
    return this.#inOwn(actor, id, async (template) => {
      const kind = this.#kind(template.template_type)
      const content = { console_type, looks, properties: { ...template.properties, ...properties } }
      const row = await updateTemplate(this.#parts.db, template.id, {
        name: name ?? template.name,
        looks: { ...template.looks, ...looks },
        properties: checkContent(actor, kind, content),
      })
      return this.#announced('updated', stored(row))
    })
  }

  /** The copy is the actor's own, whosever the other is. */
  async duplicateTemplate(actor: Actor, id: string): Promise<Template> {
    const { name, template_type, looks, properties } = await this.getTemplate(id)
    requireNodeRight(actor, this.#kind(template_type), nodeProperties(properties))
    const copyName = `${name.slice(0, 90).toWellFormed()} (copy)`
    return this.#insert(actor, { id: randomUUID(), name: copyName, template_type, looks, properties })
  }

  async deleteTemplate(actor: Actor, id: string): Promise<void> {
    await this.#inOwn(actor, id, async (template) => {
      await deleteTemplate(this.#parts.db, template.id)
      this.#announced('deleted', template)
    })
  }

  async createNode(actor: Actor, { projectId, templateId, name, x = 0, y = 0 }: NodePlace): Promise<NodeRow> {
    const template = await this.getTemplate(templateId)
    const { template_type, looks, properties } = template
    const { name_format } = this.#kind(template_type).looks
    const { symbol, console_auto_start } = looks
    return this.#parts.nodes.createNode(actor, projectId, {
      name: name ?? nodeNameOf(String(looks['default_name_format'] ?? name_format), template.name),
      node_type: template_type,
      properties: nodeProperties(properties),
      appearance: {
        x,
        y,
        template_id: template.id,
        ...(symbol ? { symbol } : {}),
        ...(console_auto_start ? { console_auto_start } : {}),
      },
    })
  }

  async #insert(actor: Actor, template: Omit<Template, 'owner_id' | 'isBuiltIn'>): Promise<Template> {
    const { id, name } = template
    return this.#queue.run(id, async () => {
      const mine = { ...template, owner_id: actor.userId ?? null }
      const row = this.#builtIn.has(id) ? undefined : await insertTemplate(this.#parts.db, mine)
      if (row === undefined) throw new AppError('conflict', `Cannot add template "${name}": the id ${id} is taken`)
      return this.#announced('created', stored(row))
    })
  }

  /**
   * Does work on a template alone.
   *
   * @throws AppError `not_found`, or `forbidden` for those who did not make it
   */
  async #inOwn<T>(actor: Actor, id: string, work: (template: Template) => Promise<T>): Promise<T> {
    return this.#queue.run(id.toLowerCase(), async () => {
      const template = await this.getTemplate(id)
      if (template.isBuiltIn)
        throw new AppError('forbidden', `Cannot change template "${template.name}": it is built in`)
      if (template.owner_id !== actor.userId && !hasRight(actor, 'admin')) throw forbidden('template owner')
      return work(template)
    })
  }

  #kind(type: string): NodeKind {
    return this.#parts.kinds.get(type) as NodeKind
  }

  #announced(change: string, template: Template): Template {
    const shown = presentTemplate(template, this.#kind(template.template_type))
    this.#parts.bus.publish(controller, `template.${change}`, shown)
    return template
  }
}

function stored(row: TemplateRow): Template {
  return { ...row, isBuiltIn: false }
}

/** Gives the properties to keep. Who decides what nodes of others do must be allowed to make such nodes. */
function checkContent(
  actor: Actor,
  kind: NodeKind,
  { console_type: consoleType, properties }: TemplateContent,
): Record<string, unknown> {
  const own = consoleTypeOf(kind)
  if (consoleType !== undefined && consoleType !== null && consoleType !== own)
    throw invalidField('console_type', `must be "${own}"`)
  const checked = checkTemplateProperties(kind, properties)
  requireNodeRight(actor, kind, nodeProperties(checked))
  return checked
}
