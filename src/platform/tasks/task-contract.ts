import { Type } from 'typebox'
import { endpoint } from '../http/endpoint.ts'
import { Nullable, OptionalNullable } from '../http/schemas.ts'
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

/** Which tasks something is to be done with: those that are named, that are found, or both where both are given. */
const Chosen = Type.Object({
  task_ids: OptionalNullable(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 10_000 })),
  search: OptionalNullable(Type.String({ description: 'As in the list of tasks' })),
})

const bulk = { method: 'POST', status: 200, tag: 'Tasks', body: Chosen } as const

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
  summary: endpoint({
    action: 'foreman_tasks.summary',
    method: 'GET',
    path: `${base}/summary`,
    status: 200,
    summary: 'Count tasks by state and result',
    tag: 'Tasks',
  }),
  bulkSearch: endpoint({
    action: 'foreman_tasks.bulk_search',
    ...bulk,
    path: `${base}/bulk_search`,
    summary: 'Find tasks by ids and by a search',
  }),
  bulkResume: endpoint({
    action: 'foreman_tasks.bulk_resume',
    ...bulk,
    path: `${base}/bulk_resume`,
    summary: 'Resume all of some tasks that can be',
  }),
  bulkCancel: endpoint({
    action: 'foreman_tasks.bulk_cancel',
    ...bulk,
    path: `${base}/bulk_cancel`,
    summary: 'Ask some tasks to end',
  }),
  bulkStop: endpoint({
    action: 'foreman_tasks.bulk_stop',
    ...bulk,
    path: `${base}/bulk_stop`,
    summary: 'The same as bulk_cancel: tasks end in order',
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
  resume: endpoint({
    action: 'foreman_tasks.resume',
    method: 'POST',
    path: `${base}/{id}/resume`,
    status: 200,
    summary: 'Start a fresh task that does what a failed or cancelled one was to do',
    tag: 'Tasks',
    params: TaskId,
    reply: Task,
  }),
}
