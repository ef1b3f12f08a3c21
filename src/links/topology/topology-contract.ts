import { Type } from 'typebox'
import { endpoint } from '../../platform/http/endpoint.ts'
import { OptionalNullable } from '../../platform/http/schemas.ts'
import { ProjectName } from '../projects/project-contract.ts'
import { TopologyDocument } from './document-contract.ts'

const tag = 'Projects'
const Params = Type.Object({ project_id: Type.String() })

export const topologyEndpoints = {
  export: endpoint({
    method: 'GET',
    path: '/v2/projects/{project_id}/export',
    status: 200,
    summary: 'Give a project as a topology document, without its files',
    tag,
    params: Params,
    reply: TopologyDocument,
  }),
  import: endpoint({
    method: 'POST',
    path: '/v2/projects/{project_id}/import',
    status: 201,
    summary: 'Make a closed project of this id from a topology document, which Backhaul or GNS3 wrote',
    tag,
    params: Type.Object({ project_id: Type.String({ format: 'uuid' }) }),
    query: Type.Object({ name: Type.Optional(ProjectName) }),
    body: TopologyDocument,
    bodyLimitBytes: 64 * 1024 * 1024,
  }),
  duplicate: endpoint({
    method: 'POST',
    path: '/v2/projects/{project_id}/duplicate',
    status: 201,
    summary: "Copy a project with its nodes' files; the copy is closed",
    tag,
    params: Params,
    body: Type.Object({
      name: ProjectName,
      reset_mac_addresses: OptionalNullable(Type.Boolean()),
    }),
  }),
  load: endpoint({
    method: 'POST',
    path: '/v2/projects/load',
    status: 201,
    summary: 'Refused: files of this machine cannot be loaded over the API',
    tag,
  }),
}
