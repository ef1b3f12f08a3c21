import { Type } from 'typebox'
import { endpoint } from '../../platform/http/endpoint.ts'
import { Id, OptionalNullable } from '../../platform/http/schemas.ts'

const projectId = { project_id: Type.String() }
const Params = Type.Object(projectId)
const Scene = Type.Integer({ minimum: 1, maximum: 1_000_000 })
const Grid = Type.Integer({ minimum: 1, maximum: 10_000 })

/** What people choose for a project; kept as it is and given back. */
export const projectSettings = {
  auto_start: Type.Optional(Type.Boolean()),
  auto_close: Type.Optional(Type.Boolean()),
  auto_open: Type.Optional(Type.Boolean()),
  scene_height: Type.Optional(Scene),
  scene_width: Type.Optional(Scene),
  zoom: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
  show_layers: Type.Optional(Type.Boolean()),
  snap_to_grid: Type.Optional(Type.Boolean()),
  show_grid: Type.Optional(Type.Boolean()),
  grid_size: Type.Optional(Grid),
  drawing_grid_size: Type.Optional(Grid),
  show_interface_labels: Type.Optional(Type.Boolean()),
  supplier: OptionalNullable(Type.Record(Type.String(), Type.Unknown())),
  variables: OptionalNullable(Type.Array(Type.Record(Type.String(), Type.Unknown()))),
}

export const defaultSettings = {
  auto_start: false,
  auto_close: true,
  auto_open: false,
  scene_height: 1000,
  scene_width: 2000,
  zoom: 100,
  show_layers: false,
  snap_to_grid: false,
  show_grid: false,
  grid_size: 75,
  drawing_grid_size: 25,
  show_interface_labels: false,
  supplier: null,
  variables: null,
}

export const ProjectName = Type.String({ minLength: 1, maxLength: 255, pattern: '^[^/\\\\\\x00-\\x1f]+$' })

const Project = Type.Object({ project_id: Type.String(), name: Type.String(), status: Type.Enum(['opened', 'closed']) })
const tag = 'Projects'
const one = { tag, params: Params, reply: Project }

export const projectEndpoints = {
  list: endpoint({
    method: 'GET',
    path: '/v2/projects',
    status: 200,
    summary: 'List projects',
    tag,
    reply: Type.Array(Project),
  }),
  create: endpoint({
    method: 'POST',
    path: '/v2/projects',
    status: 201,
    summary: 'Create a project; it is open at once',
    tag,
    unknownKeys: 'refuse',
    body: Type.Object(
      { name: ProjectName, project_id: OptionalNullable(Type.String({ format: 'uuid' })), ...projectSettings },
      { additionalProperties: false },
    ),
    reply: Project,
  }),
  show: endpoint({ ...one, method: 'GET', path: '/v2/projects/{project_id}', status: 200, summary: 'Show a project' }),
  stats: endpoint({
    method: 'GET',
    path: '/v2/projects/{project_id}/stats',
    status: 200,
    summary: 'Count what is in a project',
    tag,
    params: Params,
    reply: Type.Object({
      nodes: Type.Integer(),
      links: Type.Integer(),
      drawings: Type.Integer(),
      snapshots: Type.Integer(),
    }),
  }),
  update: endpoint({
    ...one,
    method: 'PUT',
    path: '/v2/projects/{project_id}',
    status: 200,
    summary: 'Change a project',
    body: Type.Object({ name: Type.Optional(ProjectName), ...projectSettings }),
  }),
  delete: endpoint({
    method: 'DELETE',
    path: '/v2/projects/{project_id}',
    status: 204,
    summary: 'Delete a project with its nodes, links and files',
    tag,
    params: Params,
  }),
  open: endpoint({
    ...one,
    method: 'POST',
    path: '/v2/projects/{project_id}/open',
    status: 201,
    summary: 'Open a project',
  }),
  close: endpoint({
    method: 'POST',
    path: '/v2/projects/{project_id}/close',
    status: 204,
    summary: 'Close a project: its nodes end, its links rest',
    tag,
    params: Params,
  }),
  listMembers: endpoint({
    method: 'GET',
    path: '/v2/projects/{project_id}/members',
    status: 200,
    summary: 'List the users who were let into a project',
    tag,
    params: Params,
  }),
  addMember: endpoint({
    method: 'PUT',
    path: '/v2/projects/{project_id}/members/{user_id}',
    status: 201,
    summary: 'Let a user into a project',
    tag,
    params: Type.Object({ ...projectId, user_id: Id }),
  }),
  removeMember: endpoint({
    method: 'DELETE',
    path: '/v2/projects/{project_id}/members/{user_id}',
    status: 204,
    summary: 'Take a user out of a project',
    tag,
    params: Type.Object({ ...projectId, user_id: Id }),
  }),
}
