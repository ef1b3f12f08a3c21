import { type Route, route } from '../../platform/http/endpoint.ts'
import type { Presenters } from '../events/announcer.ts'
import type { NodeKind } from '../nodes/node-kind.ts'
import type { Template } from './built-in-templates.ts'
import { templateEndpoints as endpoints, splitTemplate } from './template-contract.ts'
import { presentTemplate } from './template-presenter.ts'
import type { TemplateService } from './template-service.ts'

export interface TemplateRoutesParts {
  readonly templates: TemplateService
  readonly kinds: ReadonlyMap<string, NodeKind>
  readonly present: Presenters
}

export function templateRoutes({ templates, kinds, present }: TemplateRoutesParts): Route[] {
  const show = (template: Template) => presentTemplate(template, kinds.get(template.template_type) as NodeKind)

  return [
    route(endpoints.list, async () => (await templates.listTemplates()).map(show)),
    route(endpoints.create, async ({ actor, body }) => {
      const { name, template_type, template_id, console_type } = body
      const request = { name, template_type, template_id, console_type, ...splitTemplate(body) }
      return show(await templates.createTemplate(actor, request))
    }),
    route(endpoints.show, async ({ params }) => show(await templates.getTemplate(params.template_id))),
    route(endpoints.update, async ({ actor, params, body }) => {
      const { name, console_type } = body
      const changes = { name, console_type, ...splitTemplate(body) }
      return show(await templates.updateTemplate(actor, params.template_id, changes))
    }),
    route(endpoints.delete, ({ actor, params }) => templates.deleteTemplate(actor, params.template_id)),
    route(endpoints.duplicate, async ({ actor, params }) =>
      show(await templates.duplicateTemplate(actor, params.template_id)),
    ),
    route(endpoints.createNode, async ({ actor, params, body: { compute_id: _only, ...place } }) => {
      const { project_id: projectId, template_id: templateId } = params
      return present.node(await templates.createNode(actor, { projectId, templateId, ...place }))
    }),
  ]
}
