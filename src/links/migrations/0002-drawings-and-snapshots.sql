create table drawings (
  id uuid primary key,
  seq bigint generated always as identity,
  project_id uuid not null references projects on delete cascade,
  x double precision not null,
  y double precision not null,
  z integer not null,
  rotation integer not null,
  locked boolean not null,
  -- the text of an <svg> element, which clients draw
  svg text not null
);
create index drawings_project on drawings (project_id);

create table snapshots (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  name text collate "C" not null,
  created_at timestamptz not null default now(),
  -- the document that an export gives
  topology jsonb not null,
  -- by node id, what the nodes' kinds remember: no document says it
  node_states jsonb not null,
  constraint snapshots_name_key unique (project_id, name)
);
