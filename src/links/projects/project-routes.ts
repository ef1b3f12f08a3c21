import { type Route, route } from '../../platform/http/endpoint.ts'
import type { Presenters } from '../events/announcer.ts'
import { projectEndpoints as endpoints } from './project-contract.ts'
import type { ProjectService } from './project-service.ts'

export function projectRoutes(projects: ProjectService, { project: present }: Presenters): Route[] {
  return [
    route(endpoints.list, async ({ actor }) => (await projects.listProjects(actor)).map(present)),
    route(endpoints.create, async ({ actor, body }) => present(await projects.createProject(actor, body))),
    route(endpoints.show, async ({ actor, params }) => present(await projects.getProject(actor, params.project_id))),
    route(endpoints.stats, ({ actor, params }) => projects.countContent(actor, params.project_id)),
    route(endpoints.update, async ({ actor, params, body }) =>
      present(await projects.updateProject(actor, params.project_id, body)),
    ),
    route(endpoints.delete, ({ actor, params }) => projects.deleteProject(actor, params.project_id)),
    route(endpoints.open, async ({ actor, params }) => present(await projects.openProject(actor, params.project_id))),
    route(endpoints.close, ({ actor, params }) => projects.closeProject(actor, params.project_id)),
    route(endpoints.listMembers, async ({ actor, params }) => {
      return (await projects.listMembers(actor, params.project_id)).map((user_id) => ({ user_id }))
    }),
    route(endpoints.addMember, async ({ actor, params }) => {
      await projects.addMember(actor, params.project_id, params.user_id)
      return { user_id: params.user_id }
    }),
    route(endpoints.removeMember, ({ actor, params }) =>
      projects.removeMember(actor, params.project_id, params.user_id),
    ),
  ]
}
