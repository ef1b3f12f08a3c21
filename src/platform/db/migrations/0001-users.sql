create table users (
  id bigint generated always as identity primary key,
  login text collate "C" not null,
  password_hash text not null,
  rights text[] not null default '{}',
  is_disabled boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index users_login_key on users (lower(login));

create table personal_tokens (
  id bigint generated always as identity primary key,
  user_id bigint not null references users on delete cascade,
  name text not null,
  token_hash bytea not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  last_used_at timestamptz,
  constraint personal_tokens_token_hash_key unique (token_hash),
  constraint personal_tokens_name_key unique (user_id, name)
);

-- one row per address and per login that failed lately
create table login_failures (
  subject text primary key,
  failures integer not null,
  last_at timestamptz not null
);

-- what the installation must remember about itself, such as a sealed word that proves the secret key
create table settings (
  name text primary key,
  value text not null
);
