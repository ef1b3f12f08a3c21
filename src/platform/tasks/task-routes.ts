import { type Route, route } from '../http/endpoint.ts'
import { indexBody, pageOf } from '../http/paging.ts'
import { taskEndpoints as endpoints } from './task-contract.ts'
import { presentTask, presentTaskDetails } from './task-presenter.ts'
import type { TaskService } from './task-service.ts'

export function taskRoutes(tasks: TaskService, now: () => number): Route[] {
  return [
    route(endpoints.list, async ({ actor, query }) => {
      const page = pageOf(query)
      const { state, result, label } = query
      const { rows, total } = await tasks.listTasks(actor, { state, result, label }, page)
      return indexBody(
        rows.map((row) => presentTask(row, now())),
        { total, page },
      )
    }),
    route(endpoints.show, async ({ actor, params }) => presentTask(await tasks.getTask(actor, params.id), now())),
    route(endpoints.details, async ({ actor, params }) => {
      const task = await tasks.getTask(actor, params.id)
      const [resources, hasSubTasks] = await Promise.all([tasks.listResources(task.id), tasks.hasChildren(task.id)])
      return presentTaskDetails(task, { resources, hasSubTasks }, now())
    }),
    route(endpoints.subTasks, async ({ actor, params, query }) => {
      const parent = await tasks.getTask(actor, params.id)
      const page = pageOf(query)
      const { rows, total } = await tasks.listTasks(actor, { parentId: parent.id }, page)
      return indexBody(
        rows.map((row) => presentTask(row, now())),
        { total, page },
      )
    }),
    route(endpoints.cancel, async ({ actor, params }) => presentTask(await tasks.cancelTask(actor, params.id), now())),
  ]
}
