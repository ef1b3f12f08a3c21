create table file_units (
  unit_id bigint primary key references units on delete cascade,
  path text collate "C" not null,
  sha256 text collate "C" not null,
  size_bytes bigint not null
);
create index file_units_path on file_units (path);
