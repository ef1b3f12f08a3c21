create table organizations (
  id bigint generated always as identity primary key,
  name text collate "C" not null constraint organizations_name_key unique,
  label text collate "C" not null constraint organizations_label_key unique,
  description text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table organization_members (
  organization_id bigint not null references organizations on delete cascade,
  user_id bigint not null references users on delete cascade,
  role text not null check (role in ('viewer', 'editor', 'manager')),
  primary key (organization_id, user_id)
);
create index organization_members_user on organization_members (user_id);

create table environments (
  id bigint generated always as identity primary key,
  organization_id bigint not null references organizations on delete cascade,
  name text collate "C" not null,
  label text collate "C" not null,
  is_library boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (organization_id, name),
  unique (organization_id, label)
);
create unique index environments_one_library on environments (organization_id) where is_library;

insert into organizations (name, label) values ('Default Organization', 'Default_Organization');
insert into environments (organization_id, name, label, is_library) select id, 'Library', 'Library', true from organizations;

create table products (
  id bigint generated always as identity primary key,
  organization_id bigint not null references organizations on delete cascade,
  name text collate "C" not null,
  label text collate "C" not null,
  description text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint products_name_key unique (organization_id, name),
  constraint products_label_key unique (organization_id, label)
);

-- A set of units in numbered versions. A unit belongs to every version from `added_in` up to but not including
-- `removed_in`: versions never change, and a new one costs what differs.
create table content_sets (
  id bigint generated always as identity primary key,
  latest_version integer not null default 0
);

create table content_set_versions (
  set_id bigint not null references content_sets on delete cascade,
  number integer not null,
  -- units per kind
  counts jsonb not null default '{}',
  created_at timestamptz not null default now(),
  primary key (set_id, number)
);

create table units (
  id bigint generated always as identity primary key,
  kind text collate "C" not null,
  natural_key text collate "C" not null,
  created_at timestamptz not null default now(),
  -- whoever is about to reference a unit touches it first, and has an hour to do so
  touched_at timestamptz not null default now(),
  constraint units_natural_key unique (kind, natural_key)
);

create table content_set_units (
  set_id bigint not null references content_sets on delete cascade,
  unit_id bigint not null references units,
  added_in integer not null,
  removed_in integer,
  primary key (set_id, unit_id, added_in),
  check (removed_in > added_in)
);
create unique index content_set_units_present on content_set_units (set_id, unit_id) where removed_in is null;
create index content_set_units_unit on content_set_units (unit_id);

-- The bytes of a unit, by the path at which a repository serves them.
create table unit_files (
  unit_id bigint not null references units on delete cascade,
  path text collate "C" not null,
  sha256 text collate "C" not null,
  size_bytes bigint not null,
  -- set as soon as the bytes are stored
  artifact text references artifacts (sha256),
  primary key (unit_id, path)
);
create index unit_files_path on unit_files (path);
create index unit_files_sha256 on unit_files (sha256);
create index unit_files_artifact on unit_files (artifact);

create table publications (
  id bigint generated always as identity primary key,
  set_id bigint not null references content_sets on delete cascade,
  set_version integer not null,
  created_at timestamptz not null default now(),
  -- since when no repository points at it
  retired_at timestamptz
);
create index publications_set on publications (set_id);

-- metadata that was written for clients; the units' own bytes are found through the set version
create table publication_files (
  publication_id bigint not null references publications on delete cascade,
  path text collate "C" not null,
  sha256 text collate "C" not null references artifacts (sha256),
  size_bytes bigint not null,
  primary key (publication_id, path)
);
create index publication_files_sha256 on publication_files (sha256);

-- what a person defines; where and in which version it is served is said by its rows in `repositories`
create table root_repositories (
  id bigint generated always as identity primary key,
  product_id bigint not null references products on delete cascade,
  name text collate "C" not null,
  label text collate "C" not null,
  description text,
  content_type text not null,
  url text,
  unprotected boolean not null default true,
  mirror_on_sync boolean not null default true,
  verify_ssl_on_sync boolean not null default true,
  download_concurrency integer,
  upstream_username text,
  upstream_password_sealed text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint root_repositories_name_key unique (product_id, name),
  constraint root_repositories_label_key unique (product_id, label)
);

create table repositories (
  id bigint generated always as identity primary key,
  root_id bigint not null references root_repositories on delete cascade,
  environment_id bigint references environments,
  set_id bigint not null references content_sets,
  publication_id bigint references publications,
  relative_path text collate "C" not null constraint repositories_relative_path_key unique,
  -- what the last sync found upstream, so that the next can ask whether it changed
  sync_state jsonb,
  last_sync_task_id uuid references tasks on delete set null,
  last_contents_changed timestamptz
);
create index repositories_root on repositories (root_id);
create index repositories_publication on repositories (publication_id);
create index repositories_set on repositories (set_id);

-- what a running sync has found so far; it becomes a version all at once
create table sync_staging (
  task_id uuid not null references tasks on delete cascade,
  unit_id bigint not null references units,
  primary key (task_id, unit_id)
);
create index sync_staging_unit on sync_staging (unit_id);
