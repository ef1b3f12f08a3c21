-- what a repository showed before: clients that have read its index get what the index names for a day
create table former_publications (
  repository_id bigint not null references repositories on delete cascade,
  publication_id bigint not null references publications on delete cascade,
  retired_at timestamptz not null default now(),
  primary key (repository_id, publication_id)
);
create index former_publications_publication on former_publications (publication_id);
