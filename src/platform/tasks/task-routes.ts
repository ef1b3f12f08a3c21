import type { Actor } from '../auth/actor.ts'
import { type Route, route } from '../http/endpoint.ts'
import { indexBody } from '../http/paging.ts'
import { listRequest, type SearchRequest } from '../search/list-request.ts'
import type { TaskRow } from './tables.ts'
import type { TaskActions } from './task-actions.ts'
import { bulkTaskRoutes } from './task-bulk-routes.ts'
import { taskEndpoints as endpoints } from './task-contract.ts'
import { presentTask, presentTaskDetails } from './task-presenter.ts'
import type { TaskService } from './task-service.ts'
import type { TaskFilter } from './task-store.ts'

export interface TaskRoutesParts {
  readonly tasks: TaskService
  readonly actions: TaskActions
  readonly now: () => number
}

export function taskRoutes({ tasks, actions, now }: TaskRoutesParts): Route[] {
  const list = async (actor: Actor, filter: TaskFilter, query: SearchRequest) => {
    const request = listRequest(query, now())
    const { rows, ...counts } = await tasks.listTasks(actor, filter, request)
    return indexBody(await presentAll(rows), { ...counts, ...request })
  }
  const presentAll = async (rows: readonly TaskRow[]) => {
    const resumable = await actions.findResumable(rows)
    return rows.map((row) => presentTask(row, now(), resumable.has(row.id)))
  }
  const present = async (row: TaskRow) => (await presentAll([row]))[0]
  return [
    route(endpoints.list, ({ actor, query: { state, result, label, ...query } }) =>
      list(actor, { state, result, label }, query),
    ),
    route(endpoints.show, async ({ actor, params }) => present(await tasks.getTask(actor, params.id))),
    route(endpoints.details, async ({ actor, params }) => {
      const task = await tasks.getTask(actor, params.id)
      const [resources, hasSubTasks, resumable] = await Promise.all([
        tasks.listResources(task.id),
        tasks.hasChildren(task.id),
        actions.findResumable([task]),
      ])
      return presentTaskDetails(task, { resources, hasSubTasks, isResumable: resumable.has(task.id) }, now())
    }),
    route(endpoints.subTasks, async ({ actor, params, query }) => {
      const parent = await tasks.getTask(actor, params.id)
      return list(actor, { parentId: parent.id }, query)
    }),
    route(endpoints.cancel, async ({ actor, params }) => present(await tasks.cancelTask(actor, params.id))),
    route(endpoints.resume, async ({ actor, params }) => present(await actions.resume(actor, params.id))),
    ...bulkTaskRoutes({ tasks, actions, now, presentAll }),
  ]
}
