-- where the bytes of a unit that are not stored yet can be fetched from, for the repositories of one root
create table remote_files (
  root_id bigint not null references root_repositories on delete cascade,
  unit_id bigint not null references units on delete cascade,
  path text collate "C" not null,
  url text not null,
  primary key (root_id, unit_id, path)
);
create index remote_files_unit on remote_files (unit_id);
