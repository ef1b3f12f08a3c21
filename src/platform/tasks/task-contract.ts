import { Type } from 'typebox'
import { endpoint } from '../http/endpoint.ts'
import { Nullable } from '../http/schemas.ts'
import { SearchQuery } from '../search/list-request.ts'

/** The JSON of a task, as it is also given in every 202 answer. */
export const Task = Type.Object({
  id: Type.String(),
  label: Type.String(),
  pending: Type.Boolean(),
  action: Type.String(),
  username: Type.String(),
  started_at: Nullable(Type.String()),
  ended_at: Nullable(Type.String()),
  duration: Nullable(Type.String()),
  state: Type.Enum(['planned', 'running', 'paused', 'stopped']),
  result: Type.Enum(['pending', 'success', 'warning', 'error', 'cancelled']),
  progress: Type.Number(),
  input: Type.Unknown(),
  output: Type.Unknown(),
  humanized: Type.Unknown(),
  cli_example: Type.Null(),
  start_at: Nullable(Type.String()),
  available_actions: Type.Object({ cancellable: Type.Boolean(), resumable: Type.Boolean() }),
})

const base = '/foreman_tasks/api/tasks'
const TaskId = Type.Object({ id: Type.String() })

export const taskEndpoints = {
  list: endpoint({
    action: 'foreman_tasks.index',
    method: 'GET',
    path: base,
    status: 200,
    summary: 'List tasks, the newest first',
    tag: 'Tasks',
    query: Type.Object({
      ...SearchQuery,
      state: Type.Optional(Type.Enum(['planned', 'running', 'paused', 'stopped'])),
      result: Type.Optional(Type.Enum(['pending', 'success', 'warning', 'error', 'cancelled'])),
      label: Type.Optional(Type.String()),
    }),
  }),
  show: endpoint({
    action: 'foreman_tasks.show',
    method: 'GET',
    path: `${base}/{id}`,
    status: 200,
    summary: 'Show a task',
    tag: 'Tasks',
    params: TaskId,
    reply: Task,
  }),
  details: endpoint({
    action: 'foreman_tasks.details',
    method: 'GET',
    path: `${base}/{id}/details`,
    status: 200,
    summary: 'Show a task with its resources and its parent',
    tag: 'Tasks',
    params: TaskId,
  }),
  subTasks: endpoint({
    action: 'foreman_tasks.sub_tasks',
    method: 'GET',
    path: `${base}/{id}/sub_tasks`,
    status: 200,
    summary: 'List the parts of a task',
    tag: 'Tasks',
    params: TaskId,
    query: Type.Object(SearchQuery),
  }),
  cancel: endpoint({
    action: 'foreman_tasks.cancel',
    method: 'POST',
    path: `${base}/{id}/cancel`,
    status: 200,
    summary: 'Ask a task to end; a stopped one is left as it is',
    tag: 'Tasks',
    params: TaskId,
    reply: Task,
  }),
}
