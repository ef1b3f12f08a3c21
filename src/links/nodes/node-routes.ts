import { type Route, route } from '../../platform/http/endpoint.ts'
import type { Presenters } from '../events/announcer.ts'
import { appearanceOf, nodeEndpoints as endpoints } from './node-contract.ts'
import type { NodeAction, NodeRunner } from './node-runner.ts'
import type { NodeAddress, NodeService } from './node-service.ts'
import type { CommandResult } from './run-inside.ts'

export interface NodeRoutesParts {
  readonly nodes: NodeService
  readonly runner: NodeRunner
  readonly present: Presenters
}

export function nodeRoutes({ nodes, runner, present }: NodeRoutesParts): Route[] {
  return [
    route(endpoints.list, async ({ actor, params }) =>
      (await nodes.listNodes(actor, params.project_id)).map(present.node),
    ),
    route(endpoints.create, async ({ actor, params, body }) => {
      const { name, node_type, node_id, properties } = body
      const request = { name, node_type, node_id, properties, appearance: appearanceOf(body) }
      return present.node(await nodes.createNode(actor, params.project_id, request))
    }),
    route(endpoints.show, async ({ actor, params }) =>
      present.node(await nodes.getNode(actor, params.project_id, params.node_id)),
    ),
    route(endpoints.update, async ({ actor, params, body: { name, properties, ...appearance } }) => {
      return present.node(await nodes.updateNode(actor, addressOf(params), { name, properties, appearance }))
    }),
    route(endpoints.delete, ({ actor, params }) => nodes.deleteNode(actor, params.project_id, params.node_id)),
    route(endpoints.links, async ({ actor, params }) =>
      (await nodes.listLinks(actor, addressOf(params))).map(present.link),
    ),
    ...runnerRoutes(runner, present),
  ]
}

function runnerRoutes(runner: NodeRunner, present: Presenters): Route[] {
  const actions = ['start', 'stop', 'suspend', 'reload'] as const satisfies readonly NodeAction[]
  return [
    ...actions.map((action) =>
      route(endpoints[action], async ({ actor, params }) =>
        present.node(await runner.act(actor, addressOf(params), action)),
      ),
    ),
    ...actions.map((action) =>
      route(endpoints[`${action}All`], ({ actor, params }) => runner.actOnAll(actor, params.project_id, action)),
    ),
    route(endpoints.exec, async ({ actor, params, body, signal }) => {
      const { command, input, timeout_ms: timeoutMs = 60_000 } = body
      const words = typeof command === 'string' ? ['sh', '-c', command] : command
      const request = { command: words as [string, ...string[]], input: input ?? '', timeoutMs, signal }
      return presentResult(await runner.runCommand(actor, addressOf(params), request))
    }),
  ]
}

function presentResult(result: CommandResult): object {
  return {
    exit_code: result.exitCode,
    signal: result.signal,
    timed_out: result.isTimedOut,
    truncated: result.isTruncated,
    stdout: result.stdout,
    stderr: result.stderr,
  }
}

function addressOf(params: { project_id: string; node_id: string }): NodeAddress {
  return { projectId: params.project_id, id: params.node_id }
}
