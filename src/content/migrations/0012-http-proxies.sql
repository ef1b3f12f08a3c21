create table http_proxies (
  id bigint generated always as identity primary key,
  name text collate "C" not null constraint http_proxies_name_key unique,
  url text not null,
  username text,
  password_sealed text,
  -- every organization may use it; said here and not by naming none, so that deleting the last of a proxy's organizations
  -- does not hand it to all others
  is_shared boolean not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table http_proxy_organizations (
  proxy_id bigint not null references http_proxies on delete cascade,
  organization_id bigint not null references organizations on delete cascade,
  primary key (proxy_id, organization_id)
);
create index http_proxy_organizations_organization on http_proxy_organizations (organization_id);

-- at most one row; none means that nobody has said anything, a row without a proxy that there is to be none
create table default_http_proxy (
  is_only boolean primary key default true check (is_only),
  proxy_id bigint constraint default_http_proxy_fkey references http_proxies
);

alter table root_repositories
  add constraint root_repositories_http_proxy_fkey foreign key (http_proxy_id) references http_proxies;
create index root_repositories_http_proxy on root_repositories (http_proxy_id) where http_proxy_id is not null;
