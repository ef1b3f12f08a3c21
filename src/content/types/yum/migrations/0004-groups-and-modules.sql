-- groups, categories and environments of packages, and lists of language packs
create table comps_units (
  unit_id bigint primary key references units on delete cascade,
  element text collate "C" not null,
  group_id text collate "C" not null,
  name text collate "C" not null,
  description text not null,
  -- its element as it is published
  source text not null
);
create index comps_units_group_id on comps_units (group_id);

create view package_group_units as select * from comps_units where element = 'group';

-- documents about modules: streams, and what is said of them besides
create table module_units (
  unit_id bigint primary key references units on delete cascade,
  document text collate "C" not null,
  name text collate "C" not null,
  stream text collate "C" not null,
  version text collate "C" not null,
  context text collate "C" not null,
  arch text collate "C" not null,
  summary text not null,
  description text not null,
  artifacts jsonb not null,
  profiles jsonb not null,
  -- the document as it is published
  source text not null
);
create index module_units_name on module_units (name, stream);

create view module_stream_units as select * from module_units where document = 'stream';
