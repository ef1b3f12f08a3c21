import type { DrawingRow } from '../tables.ts'

/** The drawing object of GNS3. */
export function presentDrawing({ id, project_id, x, y, z, rotation, locked, svg }: DrawingRow): object {
  return { drawing_id: id, project_id, x, y, z, rotation, locked, svg }
}
