import type { Actor } from '../auth/actor.ts'
import { type Route, route } from '../http/endpoint.ts'
import { indexBody } from '../http/paging.ts'
import { listRequest, type SearchRequest } from '../search/list-request.ts'
import { taskEndpoints as endpoints } from './task-contract.ts'
import { presentTask, presentTaskDetails } from './task-presenter.ts'
import type { TaskService } from './task-service.ts'
import type { TaskFilter } from './task-store.ts'

export function taskRoutes(tasks: TaskService, now: () => number): Route[] {
  const list = async (actor: Actor, filter: TaskFilter, query: SearchRequest) => {
    const request = listRequest(query, now())
    const { rows, ...counts } = await tasks.listTasks(actor, filter, request)
    return indexBody(
      rows.map((row) => presentTask(row, now())),
      { ...counts, ...request },
    )
  }
  return [
    route(endpoints.list, ({ actor, query: { state, result, label, ...query } }) =>
      list(actor, { state, result, label }, query),
    ),
    route(endpoints.show, async ({ actor, params }) => presentTask(await tasks.getTask(actor, params.id), now())),
    route(endpoints.details, async ({ actor, params }) => {
      const task = await tasks.getTask(actor, params.id)
      const [resources, hasSubTasks] = await Promise.all([tasks.listResources(task.id), tasks.hasChildren(task.id)])
      return presentTaskDetails(task, { resources, hasSubTasks }, now())
    }),
    route(endpoints.subTasks, async ({ actor, params, query }) => {
      const parent = await tasks.getTask(actor, params.id)
      return list(actor, { parentId: parent.id }, query)
    }),
    route(endpoints.cancel, async ({ actor, params }) => presentTask(await tasks.cancelTask(actor, params.id), now())),
  ]
}
