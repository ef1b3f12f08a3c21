-- Library is the first environment of every path; each other one follows one
alter table environments
  add column description text,
  add column prior_id bigint constraint environments_prior_fkey references environments,
  add constraint environments_prior_unless_library check (is_library = (prior_id is null));
create index environments_prior on environments (prior_id);

-- What is published together, in versions that never change. The default view of an organization holds all repositories of
-- Library, in one version that follows every change.
create table content_views (
  id bigint generated always as identity primary key,
  organization_id bigint not null references organizations on delete cascade,
  name text collate "C" not null,
  label text collate "C" not null,
  description text,
  is_default boolean not null default false,
  is_composite boolean not null default false,
  auto_publish boolean not null default false,
  solve_dependencies boolean not null default false,
  import_only boolean not null default false,
  next_major integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint content_views_name_key unique (organization_id, name),
  constraint content_views_label_key unique (organization_id, label)
);
create unique index content_views_one_default on content_views (organization_id) where is_default;

create table content_view_versions (
  id bigint generated always as identity primary key,
  view_id bigint not null references content_views on delete cascade,
  major integer not null,
  minor integer not null,
  description text,
  -- the filters as they were when the version was made
  applied_filters jsonb not null default '[]',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint content_view_versions_number_key unique (view_id, major, minor)
);

-- which version of a view an environment shows
create table content_view_environments (
  view_id bigint not null references content_views on delete cascade,
  environment_id bigint not null references environments on delete cascade,
  version_id bigint not null constraint content_view_environments_version_fkey references content_view_versions on delete cascade,
  primary key (view_id, environment_id)
);
create index content_view_environments_environment on content_view_environments (environment_id);
create index content_view_environments_version on content_view_environments (version_id);

insert into content_views (organization_id, name, label, is_default, next_major)
  select id, 'Default Organization View', 'Default_Organization_View', true, 2 from organizations;
insert into content_view_versions (view_id, major, minor) select id, 1, 0 from content_views;
insert into content_view_environments (view_id, environment_id, version_id)
  select v.id, e.id, n.id from content_views v
  join environments e on e.organization_id = v.organization_id and e.is_library
  join content_view_versions n on n.view_id = v.id;

alter table repositories
  add column version_id bigint constraint repositories_version_fkey references content_view_versions,
  -- the repository in Library that this one is a copy of
  add column library_instance_id bigint constraint repositories_library_instance_fkey references repositories on delete cascade,
  -- the version of the set that a copy holds; a repository in Library holds the latest
  add column set_version integer,
  add constraint repositories_copy check ((library_instance_id is null) = (set_version is null)),
  add constraint repositories_set_version_fkey foreign key (set_id, set_version) references content_set_versions (set_id, number);
update repositories r set version_id = n.id
  from root_repositories root join products p on p.id = root.product_id
  join content_views v on v.organization_id = p.organization_id and v.is_default
  join content_view_versions n on n.view_id = v.id
  where root.id = r.root_id;
alter table repositories alter column version_id set not null;
drop index repositories_root;
create unique index repositories_place on repositories (root_id, version_id, environment_id) nulls not distinct;
create index repositories_version on repositories (version_id);
create index repositories_library_instance on repositories (library_instance_id);
create index repositories_environment on repositories (environment_id);

-- what a view is published from: repositories of Library
create table content_view_repositories (
  view_id bigint not null references content_views on delete cascade,
  repository_id bigint not null references repositories on delete cascade,
  primary key (view_id, repository_id)
);
create index content_view_repositories_repository on content_view_repositories (repository_id);

-- what a composite view is published from: a version of each of these views, the latest one where none is named
create table content_view_components (
  id bigint generated always as identity primary key,
  composite_id bigint not null references content_views on delete cascade,
  view_id bigint not null constraint content_view_components_view_fkey references content_views,
  version_id bigint constraint content_view_components_version_fkey references content_view_versions,
  constraint content_view_components_key unique (composite_id, view_id)
);
create index content_view_components_view on content_view_components (view_id);
create index content_view_components_version on content_view_components (version_id);

-- what a version of a composite view was made of
create table content_view_version_components (
  version_id bigint not null references content_view_versions on delete cascade,
  component_id bigint not null constraint content_view_version_components_fkey references content_view_versions,
  primary key (version_id, component_id)
);
create index content_view_version_components_component on content_view_version_components (component_id);

create table content_view_history (
  id bigint generated always as identity primary key,
  version_id bigint not null references content_view_versions on delete cascade,
  action text not null check (action in ('publish', 'promotion', 'removal')),
  -- environments may be renamed and deleted: history tells what was
  environment_id bigint,
  environment_name text,
  task_id uuid,
  username text not null,
  description text,
  created_at timestamptz not null default now()
);
create index content_view_history_version on content_view_history (version_id);

-- what of a view's repositories a version holds: what a filter of inclusion names of its kind of units, where there is any,
-- without what filters of exclusion name
create table content_view_filters (
  id bigint generated always as identity primary key,
  view_id bigint not null references content_views on delete cascade,
  name text collate "C" not null,
  type text not null,
  is_inclusion boolean not null,
  description text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint content_view_filters_name_key unique (view_id, name)
);

-- the repositories that a filter is for; without any it is for all
create table content_view_filter_repositories (
  filter_id bigint not null references content_view_filters on delete cascade,
  repository_id bigint not null references repositories on delete cascade,
  primary key (filter_id, repository_id)
);
create index content_view_filter_repositories_repository on content_view_filter_repositories (repository_id);

create table content_view_filter_rules (
  id bigint generated always as identity primary key,
  filter_id bigint not null references content_view_filters on delete cascade,
  -- what the type of the filter knows
  attributes jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index content_view_filter_rules_filter on content_view_filter_rules (filter_id);

-- a set that a task makes for a repository which is not there yet
alter table content_sets add column task_id uuid;
create index content_sets_task on content_sets (task_id) where task_id is not null;
