import { Type } from 'typebox'
import { endpoint } from '../../platform/http/endpoint.ts'

const projectParams = { project_id: Type.String() }
const Params = Type.Object({ ...projectParams, snapshot_id: Type.String() })
const SnapshotName = Type.String({ minLength: 1, maxLength: 255, pattern: '^[^/\\\\\\x00-\\x1f\\x7f]+$' })

const Snapshot = Type.Object({
  snapshot_id: Type.String(),
  name: SnapshotName,
  created_at: Type.Integer({ description: 'Seconds since 1970' }),
  project_id: Type.String(),
})

const tag = 'Snapshots'
const snapshots = '/v2/projects/{project_id}/snapshots'
const snapshot = `${snapshots}/{snapshot_id}`

export const snapshotEndpoints = {
  list: endpoint({
    method: 'GET',
    path: snapshots,
    status: 200,
    summary: 'List the snapshots of a project',
    tag,
    params: Type.Object(projectParams),
    reply: Type.Array(Snapshot),
  }),
  create: endpoint({
    method: 'POST',
    path: snapshots,
    status: 201,
    summary: 'Keep how a project is now, with the files of its nodes, which must rest',
    tag,
    params: Type.Object(projectParams),
    unknownKeys: 'refuse',
    body: Type.Object({ name: SnapshotName }, { additionalProperties: false }),
    reply: Snapshot,
  }),
  delete: endpoint({
    method: 'DELETE',
    path: snapshot,
    status: 204,
    summary: 'Delete a snapshot',
    tag,
    params: Params,
  }),
  restore: endpoint({
    method: 'POST',
    path: `${snapshot}/restore`,
    status: 201,
    summary: 'Make a project what it was: its nodes are stopped, and whatever has changed since is lost',
    tag,
    params: Params,
  }),
}
