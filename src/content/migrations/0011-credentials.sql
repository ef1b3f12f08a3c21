create table content_credentials (
  id bigint generated always as identity primary key,
  organization_id bigint not null references organizations on delete cascade,
  name text collate "C" not null,
  content_type text not null check (content_type in ('gpg_key', 'cert')),
  -- sealed, because a certificate may come with its private key
  content_sealed text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint content_credentials_name_key unique (organization_id, name)
);
