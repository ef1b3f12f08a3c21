-- trees of files that systems are installed from
create table distribution_units (
  unit_id bigint primary key references units on delete cascade,
  name text collate "C" not null,
  family text collate "C" not null,
  version text collate "C" not null,
  arch text collate "C" not null,
  variant text collate "C" not null,
  is_bootable boolean not null
);
