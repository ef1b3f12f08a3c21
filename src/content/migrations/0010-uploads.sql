-- bytes that clients are sending in chunks, until they are imported, cancelled or forgotten
create table content_uploads (
  id uuid primary key,
  repository_id bigint not null references repositories on delete cascade,
  size_bytes bigint not null check (size_bytes >= 0),
  created_at timestamptz not null default now(),
  touched_at timestamptz not null default now(),
  imported_at timestamptz
);
create index content_uploads_repository on content_uploads (repository_id);

-- which bytes of an upload are there: the chunks of one upload never overlap
create table content_upload_chunks (
  upload_id uuid not null references content_uploads on delete cascade,
  start_byte bigint not null,
  size_bytes bigint not null check (size_bytes > 0),
  -- where in the artifact the chunk begins
  artifact_start bigint not null default 0,
  artifact text not null references artifacts (sha256),
  primary key (upload_id, start_byte)
);
create index content_upload_chunks_artifact on content_upload_chunks (artifact);
