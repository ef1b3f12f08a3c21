import { type Route, route } from '../../platform/http/endpoint.ts'
import type { Lab } from '../lab.ts'
import type { ProjectFolders } from '../projects/project-folder.ts'
import type { NodeRow } from '../tables.ts'
import { nodeEndpoints as endpoints } from './node-contract.ts'
import type { NodeKind } from './node-kind.ts'
import { presentNode } from './node-presenter.ts'
import type { NodeService } from './node-service.ts'

export interface NodeRoutesParts {
  readonly nodes: NodeService
  readonly folders: ProjectFolders
  readonly kinds: ReadonlyMap<string, NodeKind>
  readonly lab: Lab
}

export function nodeRoutes({ nodes, folders, kinds, lab }: NodeRoutesParts): Route[] {
  const present = (node: NodeRow) => {
    const kind = kinds.get(node.node_type) as NodeKind
    return presentNode({ node, kind, isRunning: lab.nodes.find(node.id) !== undefined, folders })
  }

  return [
    route(endpoints.list, async ({ actor, params }) => (await nodes.listNodes(actor, params.project_id)).map(present)),
    route(
      endpoints.create,
      async ({ actor, params, body: { name, node_type, node_id, properties, compute_id: _only, ...appearance } }) => {
        return present(
          await nodes.createNode(actor, params.project_id, { name, node_type, node_id, properties, appearance }),
        )
      },
    ),
    route(endpoints.show, async ({ actor, params }) =>
      present(await nodes.getNode(actor, params.project_id, params.node_id)),
    ),
    route(endpoints.update, async ({ actor, params, body: { name, properties, ...appearance } }) => {
      const address = { projectId: params.project_id, id: params.node_id }
      return present(await nodes.updateNode(actor, address, { name, properties, appearance }))
    }),
    route(endpoints.delete, ({ actor, params }) => nodes.deleteNode(actor, params.project_id, params.node_id)),
    route(endpoints.start, async ({ actor, params }) =>
      present(await nodes.startNode(actor, params.project_id, params.node_id)),
    ),
    route(endpoints.stop, async ({ actor, params }) =>
      present(await nodes.stopNode(actor, params.project_id, params.node_id)),
    ),
  ]
}
