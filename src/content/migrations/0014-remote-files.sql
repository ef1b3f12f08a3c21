-- where the bytes of a unit that are not stored yet can be fetched from, for the repositories of one root; rows outlive
-- neither: they are purged with the root, and with the units that leave it
create table remote_files (
  root_id bigint not null,
  unit_id bigint not null,
  path text collate "C" not null,
  url text not null,
  primary key (root_id, unit_id, path)
);
