import type { Actor } from '../auth/actor.ts'
import { AppError } from '../errors.ts'
import { type Route, route } from '../http/endpoint.ts'
import { timestamp } from '../http/timestamps.ts'
import { listRequest } from '../search/list-request.ts'
import type { TaskRow } from './tables.ts'
import type { Failed } from './task-actions.ts'
import { taskEndpoints as endpoints } from './task-contract.ts'
import type { TaskRoutesParts } from './task-routes.ts'

interface Choice {
  readonly task_ids?: readonly string[] | null
  readonly search?: string | null
}

export interface BulkTaskRoutesParts extends TaskRoutesParts {
  readonly presentAll: (tasks: readonly TaskRow[]) => Promise<object[]>
}

/** What is done with many tasks at once. */
export function bulkTaskRoutes({ tasks, actions, now, presentAll }: BulkTaskRoutesParts): Route[] {
  const choose = async (actor: Actor, { task_ids: ids, search }: Choice) => {
    const isSearched = typeof search === 'string' && search.trim() !== ''
    if (!isSearched && !ids) throw nothingChosen()
    const request = listRequest({ per_page: 'all', ...(isSearched ? { search } : {}) }, now())
    return actions.listChosen(actor, { ids: ids?.map((id) => id.toLowerCase()) }, request)
  }
  const presentFailed = async (failed: readonly Failed[]) => {
    const shown = await presentAll(failed.map(({ task }) => task))
    return shown.map((task, index) => ({ ...task, error: failed[index]?.error }))
  }
  const cancel = async (actor: Actor, choice: Choice, word: 'cancelled' | 'stopped') => {
    const chosen = await choose(actor, choice)
    const { done, failed, skipped } = await actions.cancelAll(actor, chosen)
    const [shown, shownFailed] = await Promise.all([presentAll(done), presentFailed(failed)])
    return { total: chosen.length, [word]: shown, failed: shownFailed, skipped: await presentAll(skipped) }
  }
  return [
    route(endpoints.summary, async ({ actor }) => {
      const counts = await tasks.summarizeTasks(actor)
      return counts.map((count) => ({ ...count, started_at: timestamp(count.started_at) }))
    }),
    route(endpoints.bulkSearch, async ({ actor, body }) => {
      const found = await choose(actor, body)
      return { total: found.length, results: await presentAll(found) }
    }),
    route(endpoints.bulkResume, async ({ actor, body }) => {
      const chosen = await choose(actor, body)
      const { done, failed, skipped } = await actions.resumeAll(actor, chosen)
      const fresh = await presentAll(done.map((resumed) => resumed.fresh))
      return {
        total: chosen.length,
        resumed: fresh.map((task, index) => ({ ...task, resumed_task_id: done[index]?.task.id })),
        failed: await presentFailed(failed),
        skipped: await presentAll(skipped),
      }
    }),
    route(endpoints.bulkCancel, ({ actor, body }) => cancel(actor, body, 'cancelled')),
    route(endpoints.bulkStop, ({ actor, body }) => cancel(actor, body, 'stopped')),
  ]
}

function nothingChosen(): AppError {
  const messages = ['or search must say which tasks are meant']
  return new AppError('invalid', `task_ids ${messages}`, { fields: { task_ids: messages } })
}
