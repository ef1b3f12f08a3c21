create table projects (
  id uuid primary key,
  name text collate "C" not null constraint projects_name_key unique,
  is_open boolean not null default true,
  owner_id bigint references users on delete set null,
  -- how the map is drawn and when the project opens by itself: nothing the server acts on
  settings jsonb not null default '{}',
  created_at timestamptz not null default now()
);

create table project_members (
  project_id uuid not null references projects on delete cascade,
  user_id bigint not null references users on delete cascade,
  primary key (project_id, user_id)
);
create index project_members_user on project_members (user_id);

create table nodes (
  id uuid primary key,
  seq bigint generated always as identity,
  project_id uuid not null references projects on delete cascade,
  name text collate "C" not null,
  node_type text not null,
  -- what is wanted: after a crash of the server such a node is started again
  is_started boolean not null default false,
  console_port integer constraint nodes_console_port_key unique,
  -- place and looks on the map
  appearance jsonb not null default '{}',
  properties jsonb not null default '{}',
  -- what the node's kind remembers, such as the last byte of its MAC address
  kind_state jsonb not null default '{}',
  constraint nodes_name_key unique (project_id, name)
);

create table links (
  id uuid primary key,
  seq bigint generated always as identity,
  project_id uuid not null references projects on delete cascade,
  filters jsonb not null default '{}',
  is_suspended boolean not null default false,
  link_style jsonb not null default '{}',
  -- of the latest capture; stays when that has ended
  capture_file_name text
);
create index links_project on links (project_id);

create table link_ends (
  link_id uuid not null references links on delete cascade,
  side smallint not null check (side in (0, 1)),
  node_id uuid not null references nodes,
  adapter_number integer not null,
  port_number integer not null,
  label jsonb not null,
  primary key (link_id, side),
  constraint link_ends_port_key unique (node_id, adapter_number, port_number)
);
