import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import { type Actor, forbidden, hasRight } from '../../platform/auth/actor.ts'
import { AppError } from '../../platform/errors.ts'
import { isUuid } from '../../platform/uuid.ts'
import { controller, type EventBus } from '../events/event-bus.ts'
import type { NodeKind } from '../nodes/node-kind.ts'
import type { NodeService } from '../nodes/node-service.ts'
import type { LinksTables, NodeRow, TemplateRow } from '../tables.ts'
import { builtInTemplates, type Template } from './built-in-templates.ts'
import { presentTemplate } from './template-presenter.ts'
import { deleteTemplate, findTemplate, insertTemplate, listTemplates, updateTemplate } from './template-store.ts'

export interface TemplateContent {
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

  constructor(parts: TemplateServiceParts) {
    this.#parts = parts
    this.#builtIn = builtInTemplates(parts.kinds.values())
  }

  async listTemplates(): Promise<Template[]> {
    return [...this.#builtIn.values(), ...(await listTemplates(this.#parts.db)).map(stored)]
  }

  /** @throws AppError `not_found` */
  async getTemplate(id: string): Promise<Template> {
    const builtIn = this.#builtIn.get(id)
    if (builtIn !== undefined) return builtIn
    const row = isUuid(id) ? await findTemplate(this.#parts.db, id) : undefined
    if (row === undefined) throw new AppError('not_found', `Template ID ${id} doesn't exist`)
    return stored(row)
  }

  async createTemplate(actor: Actor, request: TemplateRequest): Promise<Template> {
    const { name, template_type, looks, properties } = request
    const id = request.template_id ?? randomUUID()
    const checked = this.#kind(template_type).checkProperties(properties)
    const owner_id = actor.userId ?? null
    const template = { id, owner_id, name, template_type, looks: { ...looks }, properties: checked }
    const row = this.#builtIn.has(id) ? undefined : await insertTemplate(this.#parts.db, template)
    if (row === undefined) throw new AppError('conflict', `Cannot add template "${name}": the id ${id} is taken`)
    return this.#announced('created', stored(row))
  }

  async updateTemplate(
    actor: Actor,
    id: string,
    { name, looks, properties }: TemplateContent & { readonly name?: string | undefined },
  ): Promise<Template> {
    const template = await this.#own(actor, id)
    const row = await updateTemplate(this.#parts.db, id, {
      name: name ?? template.name,
      looks: { ...template.looks, ...looks },
      properties: this.#kind(template.template_type).checkProperties({ ...template.properties, ...properties }),
    })
    if (row === undefined) throw new AppError('not_found', `Template ID ${id} doesn't exist`)
    return this.#announced('updated', stored(row))
  }

  async duplicateTemplate(actor: Actor, id: string): Promise<Template> {
    const { name, template_type, looks, properties } = await this.getTemplate(id)
    return this.createTemplate(actor, { name: `${name} (copy)`, template_type, looks, properties })
  }

  async deleteTemplate(actor: Actor, id: string): Promise<void> {
    const template = await this.#own(actor, id)
    await deleteTemplate(this.#parts.db, id)
    this.#announced('deleted', template)
  }

  async createNode(actor: Actor, { projectId, templateId, name, x = 0, y = 0 }: NodePlace): Promise<NodeRow> {
    const { template_type, looks, properties } = await this.getTemplate(templateId)
    const { name_format } = this.#kind(template_type).looks
    const { symbol, console_auto_start } = looks
    return this.#parts.nodes.createNode(actor, projectId, {
      name: name ?? String(looks['default_name_format'] ?? name_format),
      node_type: template_type,
      properties: { ...properties },
      appearance: {
        x,
        y,
        template_id: templateId,
        ...(symbol ? { symbol } : {}),
        ...(console_auto_start ? { console_auto_start } : {}),
      },
    })
  }

  /** @throws AppError `not_found`, or `forbidden` for those who did not make it */
  async #own(actor: Actor, id: string): Promise<Template> {
    const template = await this.getTemplate(id)
    if (template.isBuiltIn) throw new AppError('forbidden', `Cannot change template "${template.name}": it is built in`)
    if (template.owner_id !== actor.userId && !hasRight(actor, 'admin')) throw forbidden('template owner')
    return template
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
