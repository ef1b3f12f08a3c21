-- metadata files besides the package lists, kept as the upstream has them
create table yum_metadata_files (
  unit_id bigint primary key references units on delete cascade,
  -- the type of its record in repomd.xml
  type text collate "C" not null,
  filename text collate "C" not null,
  -- of what is in it, where it is compressed and the upstream says so
  open_sha256 text,
  open_size_bytes bigint
);
create index yum_metadata_files_type on yum_metadata_files (type);
