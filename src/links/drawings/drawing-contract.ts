import { Type } from 'typebox'
import { endpoint } from '../../platform/http/endpoint.ts'
import { OptionalNullable } from '../../platform/http/schemas.ts'

const projectParams = { project_id: Type.String() }
const Params = Type.Object({ ...projectParams, drawing_id: Type.String() })
const Coordinate = Type.Number({ minimum: -1_000_000, maximum: 1_000_000 })

/** What clients say of a drawing. */
export const drawingLooks = {
  x: Type.Optional(Coordinate),
  y: Type.Optional(Coordinate),
  z: Type.Optional(Type.Integer({ minimum: -100_000, maximum: 100_000 })),
  rotation: Type.Optional(Type.Integer({ minimum: -359, maximum: 360 })),
  locked: Type.Optional(Type.Boolean()),
  svg: Type.Optional(Type.String({ maxLength: 5 * 1024 * 1024, description: 'The text of an <svg> element' })),
}

/** A text of that size, as JSON writes it. */
const bodyLimitBytes = 12 * 1024 * 1024

const Drawing = Type.Object({
  drawing_id: Type.String(),
  project_id: Type.String(),
  x: Type.Number(),
  y: Type.Number(),
  z: Type.Integer(),
  rotation: Type.Integer(),
  locked: Type.Boolean(),
  svg: Type.String(),
})

const tag = 'Drawings'
const drawings = '/v2/projects/{project_id}/drawings'
const drawing = `${drawings}/{drawing_id}`
const one = { tag, params: Params, reply: Drawing }

export const drawingEndpoints = {
  list: endpoint({
    method: 'GET',
    path: drawings,
    status: 200,
    summary: 'List the drawings of a project',
    tag,
    params: Type.Object(projectParams),
    reply: Type.Array(Drawing),
  }),
  create: endpoint({
    ...one,
    method: 'POST',
    path: drawings,
    status: 201,
    summary: 'Add a drawing to the map',
    params: Type.Object(projectParams),
    unknownKeys: 'refuse',
    body: Type.Object(
      {
        drawing_id: OptionalNullable(Type.String({ format: 'uuid' })),
        project_id: OptionalNullable(Type.String({ format: 'uuid' })),
        ...drawingLooks,
      },
      { additionalProperties: false },
    ),
    bodyLimitBytes,
  }),
  show: endpoint({ ...one, method: 'GET', path: drawing, status: 200, summary: 'Show a drawing' }),
  update: endpoint({
    ...one,
    method: 'PUT',
    path: drawing,
    status: 201,
    summary: 'Change a drawing',
    body: Type.Object(drawingLooks),
    bodyLimitBytes,
  }),
  delete: endpoint({
    method: 'DELETE',
    path: drawing,
    status: 204,
    summary: 'Delete a drawing',
    tag,
    params: Params,
  }),
}
