-- Bytes in the blob store that belong to the program. A column that references this table needs an index that begins
-- with it: every removal of artifacts looks there. Such a column is `text collate "C"`, and its foreign key must not
-- delete or change rows by itself.
create table artifacts (
  sha256 text collate "C" primary key check (sha256 ~ '^[0-9a-f]{64}$'),
  size_bytes bigint not null check (size_bytes >= 0),
  -- No index on this column: touching must not write to indexes.
  touched_at timestamptz not null default clock_timestamp()
) with (fillfactor = 80);
