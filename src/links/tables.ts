import type { Generated, JSONColumnType, Selectable } from 'kysely'
import type { FilterSet } from './filters/index.ts'

type Json<T extends object> = JSONColumnType<T, string, string>

interface ProjectsTable {
  id: string
  name: string
  is_open: Generated<boolean>
  owner_id: number | null
  settings: Json<Record<string, unknown>>
  created_at: Generated<Date>
}

interface ProjectMembersTable {
  project_id: string
  user_id: number
}

interface NodesTable {
  id: string
  seq: Generated<number>
  project_id: string
  name: string
  node_type: string
  is_started: Generated<boolean>
  console_port: number | null
  appearance: Json<Record<string, unknown>>
  properties: Json<Record<string, unknown>>
  kind_state: Json<Record<string, unknown>>
}

interface LinksTable {
  id: string
  seq: Generated<number>
  project_id: string
  filters: Json<FilterSet>
  is_suspended: boolean
  link_style: Json<Record<string, unknown>>
  capture_file_name: string | null
}

/** A text beside a port on the map; what was not given is not kept. */
export interface PortLabel {
  readonly text: string
  readonly style?: string | null
  readonly x?: number
  readonly y?: number
  readonly rotation?: number
}

interface LinkEndsTable {
  link_id: string
  side: 0 | 1
  node_id: string
  adapter_number: number
  port_number: number
  label: Json<PortLabel>
}

interface TemplatesTable {
  id: string
  seq: Generated<number>
  owner_id: number | null
  name: string
  template_type: string
  looks: Json<Record<string, unknown>>
  properties: Json<Record<string, unknown>>
}

interface DrawingsTable {
  id: string
  seq: Generated<number>
  project_id: string
  x: number
  y: number
  z: number
  rotation: number
  locked: boolean
  svg: string
}

interface SnapshotsTable {
  id: string
  project_id: string
  name: string
  created_at: Generated<Date>
  topology: Json<object>
  node_states: Json<Record<string, Record<string, unknown>>>
}

export interface LinksTables {
  projects: ProjectsTable
  project_members: ProjectMembersTable
  nodes: NodesTable
  links: LinksTable
  link_ends: LinkEndsTable
  templates: TemplatesTable
  drawings: DrawingsTable
  snapshots: SnapshotsTable
}

export type ProjectRow = Selectable<ProjectsTable>
export type NodeRow = Selectable<NodesTable>
export type TemplateRow = Selectable<TemplatesTable>
export type LinkRow = Selectable<LinksTable>
export type LinkEndRow = Selectable<LinkEndsTable>
export type DrawingRow = Selectable<DrawingsTable>
export type SnapshotRow = Selectable<SnapshotsTable>
