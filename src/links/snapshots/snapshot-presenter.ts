import type { SnapshotHead } from './snapshot-store.ts'

/** The snapshot object of GNS3. */
export function presentSnapshot({ id, name, created_at, project_id }: SnapshotHead): object {
  return { snapshot_id: id, name, created_at: Math.floor(created_at.getTime() / 1000), project_id }
}
